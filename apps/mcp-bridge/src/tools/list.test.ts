import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startBridge, stateless } from '../testing/bridge.ts'
import { untilAnswer } from '../testing/until.ts'

describe('tools/list', () => {
  it('shows the functions of other workers with their schemas, sorted by name', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    const request_format = { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] }
    const response_format = { type: 'object', properties: { id: { type: 'string' } } }
    bridge.other.registerFunction('orders::create', () => ({ id: '1' }), {
      description: 'Creates an order.',
      request_format,
      response_format,
      metadata: { 'mcp.title': 'New order', mcp: { annotations: { idempotentHint: false } } },
    })
    bridge.other.registerFunction('aaa.daily', () => 1)
    bridge.other.registerFunction('zoo::open', () => 1)
    await bridge.other.ready()
    await untilAnswer(bridge.toolNames, (names) => names.includes('orders__create'))
    const { tools } = await bridge.result<{ tools: { name: string }[] }>('tools/list')
    expect(tools.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^aaa_daily___[0-9a-f]{8}$/),
      'orders__create',
      'zoo__open',
    ])
    expect(tools[1]).toEqual({
      name: 'orders__create',
      title: 'New order',
      description: 'Creates an order.',
      inputSchema: request_format,
      outputSchema: response_format,
      annotations: { title: 'New order', idempotentHint: false },
    })
  })

  it('hides what is internal, and what its owner hides', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('orders::list', () => 1)
    bridge.other.registerFunction('orders::secret', () => 1, { metadata: { 'mcp.expose': false } })
    bridge.other.registerFunction('orders::plumbing', () => 1, { metadata: { internal: true } })
    bridge.other.registerFunction('iii-orders::x', () => 1)
    bridge.other.registerFunction('iii_worker_stop', () => 1)
    await bridge.other.ready()
    const names = await untilAnswer(bridge.toolNames, (all) => all.includes('orders__list'))
    expect(names).toEqual([expect.stringMatching(/^iii_worker_stop___[0-9a-f]{8}$/), 'orders__list'])
  })

  it('is the same bytes in both eras but for what 2026-07-28 adds', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('orders::list', () => 1)
    await bridge.other.ready()
    await untilAnswer(bridge.toolNames, (names) => names.length === 1)
    const { meta, headers } = stateless('tools/list')
    const modern = await bridge.rpc('tools/list', { _meta: meta }, headers)
    expect(modern.message.result?.['tools']).toEqual((await bridge.result('tools/list'))['tools'])
  })
})

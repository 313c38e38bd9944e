import { startMockEngine } from '@iii/mock-engine'
import { createLog } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from './auth/settings/auth-block.ts'
import { startBridge } from './testing/bridge.ts'

describe('a tool that calls the bridge by iii.trigger', () => {
  /** Offers `self::loop`, which posts a call of itself to the bridge; answers what each of these posts was told. */
  async function serveLoop(bridge: Awaited<ReturnType<typeof startBridge>>) {
    const replies: unknown[] = []
    bridge.other.registerFunction('self::loop', async () => {
      const params = { name: 'self__loop', arguments: {} }
      const payload = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      replies.push(await bridge.other.trigger({ function_id: 'mcp::handler', payload }))
      return 'done'
    })
    await bridge.other.ready()
    return replies
  }

  it('is led on four times, and then told the limit', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const replies = await serveLoop(bridge)
    expect(await bridge.call('self__loop')).toMatchObject({ content: [{ text: 'done' }] })
    expect(replies).toHaveLength(5)
    expect(replies[0]).toMatchObject({
      error: { message: expect.stringMatching(/^tools\/call is refused: .* 4 is the limit/) },
    })
    for (const reply of replies.slice(1)) expect(reply).toMatchObject({ result: { content: [{ text: 'done' }] } })
  })

  it('leaves the requests of others alone', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await serveLoop(bridge)
    const both = await Promise.all([bridge.call('self__loop'), bridge.call('self__loop')])
    expect(both).toMatchObject([{ content: [{ text: 'done' }] }, { content: [{ text: 'done' }] }])
  })
})

describe('a worker that has a grant by auth.bus', () => {
  it('is refused for a while where it asks more often than its limit', async () => {
    await using engine = await startMockEngine()
    const auth = AuthBlock.parse({ bus: 'all', grants: { all: {} }, limits: { per_minute: 1, burst: 2 } })
    await using bridge = await startBridge(engine, { options: { auth } })
    const payload = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const replies: unknown[] = []
    for (const _ of [1, 2, 3]) replies.push(await bridge.other.trigger({ function_id: 'mcp::handler', payload }))
    expect(replies).toEqual([
      expect.objectContaining({ result: {} }),
      expect.objectContaining({ result: {} }),
      expect.objectContaining({
        error: { code: -32003, message: expect.any(String), data: { retry_after_seconds: expect.any(Number) } },
      }),
    ])
  })
})

describe('an answer to nobody knows what', () => {
  it('has no id, and is what the endpoint says that it gives', async () => {
    await using engine = await startMockEngine()
    const warnings: string[] = []
    const log = {
      ...createLog({ name: 'mcp', level: 'silent' }),
      warn: (...said: unknown[]) => void warnings.push(String(said)),
    }
    await using bridge = await startBridge(engine, { log })
    for (const payload of [[], { jsonrpc: '2.0', id: 1.5, method: 'ping' }]) {
      const told = await bridge.other.trigger({ function_id: 'mcp::handler', payload })
      expect(told).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } })
    }
    expect(warnings.filter((text) => text.includes('response_format'))).toEqual([])
  })
})

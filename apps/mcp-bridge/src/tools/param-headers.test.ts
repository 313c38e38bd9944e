import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startBridge, stateless } from '../testing/bridge.ts'
import { untilAnswer } from '../testing/until.ts'

const request_format = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    where: { type: 'object', properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' } } },
  },
}

describe('arguments that a client repeats in headers', () => {
  it.each<[string, object, Record<string, string>, number]>([
    ['the same', { region: 'eu' }, { 'Mcp-Param-Region': 'eu' }, 200],
    ['the same, in Base64', { region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=?=' }, 200],
    ['what only looks like Base64', { region: '=?base64?SGVs' }, { 'mcp-param-region': '=?base64?SGVs' }, 200],
    ['another one', { region: 'eu' }, { 'Mcp-Param-Region': 'us' }, 400],
    ['bad padding', { region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8?=' }, 400],
    ['no Base64', { region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVs!!!bG8=?=' }, 400],
    ['no header', { region: 'eu' }, {}, 400],
    ['neither', {}, {}, 200],
    ['no argument', { region: null }, { 'Mcp-Param-Region': 'eu' }, 200],
    ['a number in another spelling', { count: 42 }, { 'Mcp-Param-Count': '42.0' }, 200],
    ['another number', { count: 42 }, { 'Mcp-Param-Count': '43' }, 400],
    ['one further in', { where: { dry: true } }, { 'Mcp-Param-Dry-Run': 'true' }, 200],
    ['one further in, missing', { where: { dry: true } }, {}, 400],
  ])('have to say the same: %s', async (_, input, sent, status) => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    let calls = 0
    bridge.other.registerFunction('geo::route', () => ++calls, { request_format })
    await bridge.other.ready()
    await untilAnswer(bridge.toolNames, (names) => names.length === 1)
    const { meta, headers } = stateless('tools/call', 'geo__route')
    const params = { name: 'geo__route', arguments: input, _meta: meta }
    const reply = await bridge.rpc('tools/call', params, { ...headers, ...sent })
    expect([reply.status, reply.message.error?.code, calls]).toEqual(
      status === 200 ? [200, undefined, 1] : [400, -32020, 0],
    )
  })

  it('are nothing to the older revisions', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('geo::route', () => 'ok', { request_format })
    await bridge.other.ready()
    await untilAnswer(bridge.toolNames, (names) => names.length === 1)
    expect(await bridge.call('geo__route', { region: 'eu' })).toMatchObject({ content: [{ text: 'ok' }] })
  })
})

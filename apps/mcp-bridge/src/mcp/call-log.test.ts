import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken } from '../auth/token.ts'
import type { BridgeOptions } from '../options.ts'
import { createInfoLog } from '../testing/audit-log.ts'
import { startBridge, type TestBridge } from '../testing/bridge.ts'
import { isHeard, listenToCalls } from '../testing/call-listener.ts'
import { untilAnswer } from '../testing/until.ts'
import type { AuditMode } from './call-log.ts'

type Line = Readonly<Record<string, unknown>>

/** A bridge with two functions, and what its log has of the audit. */
async function stage(options: Partial<BridgeOptions> = {}) {
  const engine = await startMockEngine()
  const lines: Line[] = []
  const all: string[] = []
  const info = (fields: Line, text?: string) => {
    all.push(JSON.stringify([fields, text]))
    if (fields['audit'] === true) lines.push(fields)
  }
  const log = createInfoLog(info)
  const bridge = await startBridge(engine, { log, options: { noBuiltins: true, ...options } })
  bridge.other.registerFunction('orders::get', () => 'the secret answer')
  bridge.other.registerFunction('orders::fail', () => {
    throw new Error('the secret failure')
  })
  await bridge.other.ready()
  const close = () => bridge[Symbol.asyncDispose]()
  return {
    ...{ bridge, lines, all, close },
    async [Symbol.asyncDispose]() {
      await close()
      await engine[Symbol.asyncDispose]()
    },
  }
}

async function callAll(bridge: TestBridge): Promise<void> {
  await bridge.call('orders__get', { secret: 'argument' })
  await bridge.call('orders__fail')
  await bridge.call('state__set', { secret: 'argument' })
  await bridge.rpc('tools/call', { name: 'nope' })
}

describe('the log', () => {
  it('has a line for each call: who called what, and how it went, without what was said', async () => {
    await using at = await stage()
    await callAll(at.bridge)
    const who = { audit: true, kind: 'tool', principal: 'everybody', auth: 'off', era: 'plain', ms: expect.any(Number) }
    expect(at.lines.map((line) => JSON.parse(JSON.stringify(line)) as Line)).toEqual([
      {
        ...{ ...who, seq: 1, boot: at.bridge.worker.instance, tool: 'orders__get', function_id: 'orders::get' },
        ...{ call_id: expect.any(String), decision: 'allow', outcome: 'ok', bytes_in: 21, bytes_out: 56 },
      },
      {
        ...{ ...who, seq: 2, boot: at.bridge.worker.instance, tool: 'orders__fail', function_id: 'orders::fail' },
        ...{
          call_id: expect.any(String),
          decision: 'allow',
          outcome: 'error',
          bytes_in: 0,
          bytes_out: expect.any(Number),
        },
        code: expect.any(String),
      },
      {
        ...{ ...who, seq: 3, boot: at.bridge.worker.instance, tool: 'state__set', function_id: 'state::set' },
        ...{ decision: 'hidden', outcome: 'refused', code: 'internal', bytes_in: 21, bytes_out: expect.any(Number) },
      },
      {
        ...{ ...who, seq: 4, boot: at.bridge.worker.instance, tool: 'nope', function_id: 'nope' },
        ...{ outcome: 'refused', code: 'unknown', bytes_in: 0, bytes_out: 0 },
      },
    ])
    expect(at.all.join('')).not.toMatch(/secret/)
  })

  it.each<[AuditMode, number[]]>([
    ['off', []],
    ['denials', [1]],
    ['calls', [1, 2, 3, 4]],
  ])('has with audit %s the lines %j', async (audit, seqs) => {
    await using at = await stage({ audit })
    await callAll(at.bridge)
    await at.bridge.rpc('tools/list')
    await at.close()
    expect(at.lines.map(({ seq }) => seq)).toEqual(seqs)
  })

  it('has no secret of an address, or of what was asked for as if it were a tool', async () => {
    await using at = await stage()
    const template = { uriTemplate: 'shop://find/{+what}', name: 'find' }
    at.bridge.other.registerFunction('orders::find', () => 'tea for two', { metadata: { 'mcp.template': template } })
    await at.bridge.other.ready()
    const uri = 'shop://find/tea?key=sk-abcdefgh12345678&size=2'
    await untilAnswer(
      () => at.bridge.rpc('resources/read', { uri }),
      ({ text }) => text.includes('tea for two'),
    )
    const token = createToken()
    await at.bridge.rpc('tools/call', { name: `Bearer ${token}` })
    await at.bridge.rpc('tools/call', { name: token })
    expect(at.lines.slice(-3).map(({ tool }) => tool)).toEqual([
      'shop://find/tea?key=<secret>&size=2',
      'Bearer <secret>',
      '<secret>',
    ])
    expect(JSON.stringify(at.all)).not.toMatch(new RegExp(`${token}|sk-abc`))
  })

  it('has with audit all also sums of what calls nothing', async () => {
    await using at = await stage({ audit: 'all' })
    for (let n = 0; n < 3; n++) await at.bridge.rpc('tools/list')
    await at.bridge.rpc('resources/read', { uri: 'iii://skills' })
    await at.close()
    const who = { audit: true, kind: 'sum', principal: 'everybody', auth: 'off', since: expect.any(String) }
    expect(at.lines).toEqual([
      expect.objectContaining({ ...who, method: 'tools/list', count: 3 }),
      expect.objectContaining({ ...who, method: 'resources/read', count: 1 }),
    ])
  })
})

describe('what is no call of a function', () => {
  it('is in the log too: searches and management tools one by one, lists and sessions as sums', async () => {
    await using at = await stage({ audit: 'all', tools: 'search', noBuiltins: false, httpBuiltins: true })
    await at.bridge.call('search_tools', { query: 'secret words' })
    await at.bridge.call('call_tool', { name: 'orders__get', arguments: { secret: 'argument' } })
    await at.bridge.call('iii_trigger_void', { function_id: 'orders::get', payload: { secret: 'argument' } })
    await at.bridge.call('iii_trigger_void', { function_id: 'state::set', payload: {} })
    const { headers } = await at.bridge.rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
    for (let n = 0; n < 2; n++) await at.bridge.rpc('tools/list')
    await fetch(at.bridge.url, {
      method: 'DELETE',
      headers: { 'mcp-session-id': headers.get('mcp-session-id') ?? '' },
    })
    await at.close()
    const rows = at.lines.map(({ kind, tool, method, decision, outcome, count }) =>
      kind === 'sum' ? [kind, method, count] : [kind, tool, decision, outcome],
    )
    expect(rows).toEqual([
      ['tool', 'search_tools', undefined, 'ok'],
      ['tool', 'orders__get', 'allow', 'ok'],
      ['tool', 'iii_trigger_void', 'allow', 'ok'],
      ['tool', 'iii_trigger_void', 'hidden', 'refused'],
      ['sum', 'initialize', 1],
      ['sum', 'tools/list', 2],
    ])
    expect(at.all.join('')).not.toContain('secret')
  })
})

describe('somebody who is not let in', () => {
  const auth = AuthBlock.parse({ mode: 'required' })

  it('is in the log and told to subscribers, with the reason, and never with what was sent', async () => {
    await using at = await stage()
    const listener = await listenToCalls(at.bridge.other)
    await isHeard(at.bridge, listener)
    at.bridge.set({ auth })
    await at.bridge.rpc('ping')
    for (let n = 0; n < 5; n++) await at.bridge.rpc('ping', {}, { authorization: 'Bearer secret-token' })
    const told = await listener.hear({ kind: 'auth', code: 'unknown-token' })
    expect(told).toMatchObject({ decision: 'auth', outcome: 'refused', tool: '' })
    expect(told).not.toHaveProperty('principal')
    const denied = (code: string) => at.lines.filter((line) => line['kind'] === 'auth' && line['code'] === code)
    const count = (code: string) => denied(code).reduce((sum, { count: times = 1 }) => sum + Number(times), 0)
    // They are told together, and perhaps in two parts.
    await untilAnswer(
      async () => count('unknown-token'),
      (times) => times >= 5,
    )
    expect([count('no-token'), count('unknown-token')]).toEqual([1, 5])
    expect(at.all.join('') + JSON.stringify(listener.batches)).not.toContain('secret')
  })
})

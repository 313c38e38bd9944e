import { startMockEngine } from '@iii/mock-engine'
import { readMcpSidecar, toViaIds, type VisibleAnswer } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { startBridge } from '../testing/bridge.ts'

const IDS = ['demo::open', 'demo::off', 'demo::shut', 'other::open', 'state::set', 'nobody::there', 'demo::ask']

/** A bridge, and a function that asks it what its caller may see. */
async function stage(options: object = {}) {
  const engine = await startMockEngine()
  const bridge = await startBridge(engine, { options })
  const { other } = bridge
  const calls: { call_id: string; via: string }[] = []
  const ask = (function_ids: readonly string[], call_id: string, via: string) =>
    other.trigger<VisibleAnswer>({ function_id: toViaIds(via).visible, payload: { call_id, function_ids } })
  other.registerFunction('demo::ask', ({ ids }: { ids: string[] }, metadata) => {
    const { call_id = '', via = '' } = readMcpSidecar(metadata) ?? {}
    calls.push({ call_id, via })
    return ask(ids, call_id, via)
  })
  for (const id of ['demo::open', 'other::open'])
    other.registerFunction(id, () => 1, { metadata: { 'mcp.tier': 'ops' } })
  other.registerFunction('demo::off', () => 1, { metadata: { 'mcp.expose': false } })
  other.registerFunction('demo::shut', () => 1, { metadata: { internal: true } })
  await other.ready()
  return {
    bridge,
    ask,
    calls,
    async seen(ids: readonly string[], headers: Record<string, string> = {}) {
      const params = { name: 'demo__ask', arguments: { ids } }
      const { structuredContent } = await bridge.result<{ structuredContent: VisibleAnswer }>(
        'tools/call',
        params,
        headers,
      )
      return structuredContent
    },
    async [Symbol.asyncDispose]() {
      await bridge[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}

describe('which functions the client of a call may see', () => {
  it('is what the gate lets through, in the order of the question', async () => {
    await using at = await stage({ hiddenPrefixes: ['other::'] })
    expect(await at.seen(IDS)).toMatchObject({ visible: ['demo::open', 'demo::ask'] })
    expect(await at.seen([...IDS].reverse())).toMatchObject({ visible: ['demo::ask', 'demo::open'] })
    expect(await at.seen([])).toMatchObject({ visible: [] })
  })

  it('comes with how much of a result that client is shown, as it is set', async () => {
    await using at = await stage()
    expect(await at.seen([])).toMatchObject({ max_result_bytes: 100_000 })
    at.bridge.set({ maxResultBytes: 50_000 })
    expect(await at.seen([])).toMatchObject({ max_result_bytes: 50_000 })
  })

  it('is asked of the engine in one go where they are many', async () => {
    await using at = await stage({ tier: 'ops', exposeAll: true })
    at.bridge.set({ tier: undefined })
    const many = Array.from({ length: 500 }, (_, n) => `nobody::n${n}`)
    expect(await at.seen([...many, ...IDS])).toMatchObject({ visible: ['demo::open', 'other::open', 'demo::ask'] })
  })

  it('comes with the session of the call', async () => {
    await using at = await stage()
    const opened = await at.bridge.rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
    const id = opened.headers.get('mcp-session-id') ?? ''
    const { session = '' } = await at.seen([], { 'mcp-session-id': id })
    expect(session).toMatch(/^[\w-]{16}$/)
    expect(id).not.toContain(session)
  })

  it('comes with who makes the call, and whose runs that one may be told of, where clients have to say it', async () => {
    const [own, all] = [createToken(), createToken()]
    const auth = AuthBlock.parse({
      tokens: [
        { name: 'own', hash: [toDigest(own)], grant: 'own' },
        { name: 'all', hash: [toDigest(all)], grant: 'all' },
      ],
      grants: { own: {}, all: { runs: 'all' } },
    })
    await using at = await stage({ auth })
    const seen = (token: string) => at.seen(['demo::open'], { authorization: `Bearer ${token}` })
    expect(await seen(own)).toMatchObject({ visible: ['demo::open'], principal: 'token:own', runs: 'own' })
    expect(await seen(all)).toMatchObject({ visible: ['demo::open'], principal: 'token:all', runs: 'all' })
  })

  it('is none for a call that is over, or was never there', async () => {
    await using at = await stage()
    await at.seen([])
    const [{ call_id, via } = { call_id: '', via: '' }] = at.calls
    expect(await at.ask(IDS, call_id, via)).toEqual({ visible: [] })
    expect(await at.ask(IDS, 'nobody', via)).toEqual({ visible: [] })
    await expect(at.ask(IDS, '', via)).rejects.toThrow(/call_id/)
  })
})

import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'

describe('the gate before tools/call', () => {
  async function refusal(name: string, options: object = {}): Promise<string | undefined> {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options })
    let calls = 0
    const count = () => ({ calls: ++calls })
    bridge.other.registerFunction('demo::hello', count, { metadata: { 'mcp.expose': true } })
    bridge.other.registerFunction('demo::hidden', count)
    bridge.other.registerFunction('demo::off', count, { metadata: { mcp: { expose: false } } })
    bridge.other.registerFunction('demo::ops', count, { metadata: { mcp: { expose: true, tier: 'ops' } } })
    await bridge.other.ready()
    const { isError, content } = await bridge.call(name)
    expect(isError === true).toBe(calls === 0)
    return isError ? content[0]?.text : undefined
  }
  const notExposed = (id: string) => `Error: Function '${id}' is not exposed via mcp.expose metadata`

  it('keeps the engine to itself, whatever the settings', async () => {
    for (const options of [{}, { exposeAll: true }]) {
      expect(await refusal('state__set', options)).toBe(
        "Error: Function 'state::set' is in the iii-engine internal namespace and is not exposed as an MCP tool",
      )
    }
    expect(await refusal('STATE__set')).toMatch(/internal namespace/)
    expect(await refusal('mcp__handler')).toMatch(/internal namespace/)
  })

  it('asks for mcp.expose when the operator does', async () => {
    expect(await refusal('demo__hidden')).toBeUndefined()
    expect(await refusal('demo__hidden', { requireExpose: true })).toBe(notExposed('demo::hidden'))
    expect(await refusal('demo__hello', { requireExpose: true })).toBeUndefined()
    expect(await refusal('demo__off', { exposeAll: true })).toBe(notExposed('demo::off'))
  })

  it('keeps tiers apart', async () => {
    expect(await refusal('demo__ops', { tier: 'ops' })).toBeUndefined()
    expect(await refusal('demo__ops', { tier: 'user' })).toBe(notExposed('demo::ops'))
    expect(await refusal('demo__hello', { tier: 'ops', exposeAll: true })).toBe(notExposed('demo::hello'))
  })

  it('keeps the operator’s prefixes hidden', async () => {
    expect(await refusal('demo__hello', { hiddenPrefixes: ['demo::he'] })).toBe(
      "Error: Function 'demo::hello' is disabled on this server",
    )
  })

  it.each(['iii_worker_register', 'iii_worker_stop', 'iii_trigger_register', 'iii_trigger_void'])(
    'has no management tool %s over HTTP',
    async (name) => {
      const text = `Error: Tool '${name}' is disabled on this server`
      expect(await refusal(name)).toBe(text)
    },
  )
})

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `iii://orders/${index}`)

describe('skill__fetch', () => {
  it('fetches skills and sections that this bridge shows', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await using skills = await startSkillsWorker(engine.url)
    bridge.other.registerFunction('orders::report', () => '12 open')
    await bridge.other.ready()
    const { content } = await bridge.call('skill__fetch', { uris: ['iii://orders', ' iii://fn/orders/report '] })
    expect(content[0]?.text).toMatch(/^# Orders[\s\S]*12 open$/)
    expect(skills.sidecars[0]).toMatchObject({ mcp: { call_id: expect.any(String) } })
  })

  it('judges what counts, which is not uri where there are uris, and each address once', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await using skills = await startSkillsWorker(engine.url)
    for (const uri of ['https://example.com', 'iii://fn/state/get', 7]) {
      const { isError, content } = await bridge.call('skill__fetch', { uris: ['iii://orders'], uri })
      expect([isError, content[0]?.text]).toEqual([undefined, expect.stringMatching(/^# Orders/)])
    }
    const many = new Array(33).fill('iii://orders')
    expect((await bridge.call('skill__fetch', { uris: many })).isError).toBeUndefined()
    expect(skills.sidecars).toHaveLength(36)
  })

  it.each([
    [{}, 'Error: Provide uri'],
    [{ uri: ' ' }, 'Error: Provide uri'],
    [{ uri: 7 }, 'Error: '],
    [{ uris: 'iii://orders' }, 'Error: uris: '],
    [{ uris: [7] }, 'Error: uris[0]: '],
  ])('leaves what is no address to the registry: %j', async (input, text) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await using skills = await startSkillsWorker(engine.url)
    const answer = await bridge.call('skill__fetch', input)
    expect(answer).toEqual({ isError: true, content: [{ type: 'text', text: expect.stringContaining(text) }] })
    expect(skills.sidecars).toEqual([])
  })

  it.each([
    [{ uri: 'iii://fn/state/get' }, 'is in an internal namespace and cannot back a skill resource'],
    [{ uris: ['iii://orders', 'iii://fn/demo/hidden'] }, 'is not exposed via mcp.expose metadata'],
    [{ uri: 'https://example.com' }, 'Error: Invalid URI (must start with iii:// or skill://): https://example.com'],
    [{ uris: ['iii://fn/a/../state/get'] }, 'Error: invalid section URI segment'],
    [{ uri: 'iii://fn/no/body' }, "Error: Function 'no::body' is not registered"],
    [{ uris: numbered(33) }, 'Error: Too many addresses: 33 (max 32); fetch the rest in another call'],
    [{ uris: [], uri: 'iii://fn/state/get' }, 'is in an internal namespace'],
    [{ uri: 'iii://functions' }, 'iii://functions is served by this server itself: read it with resources/read'],
    [{ uris: ['iii://orders', 'iii://workers/w1'] }, 'iii://workers/w1 is served by this server itself'],
    [
      { uri: 'iii://orders', uris: ['ftp://a', 'iii://fn/state/get', 'iii://fn/no/body'] },
      /^Error: Nothing was read\. Invalid URI .*: ftp:\/\/a; .*internal namespace.*; Function 'no::body' is not registered.*; uri was not read \(iii:\/\/orders\): uris counts where both are given/,
    ],
    [{ uri: 'iii://functions/a::b' }, 'iii://functions/a::b is served by this server itself'],
  ])('is refused whole, before the registry hears of it: %j', async (input, text) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { requireExpose: true } })
    await using skills = await startSkillsWorker(engine.url)
    bridge.other.registerFunction('demo::hidden', () => 'secret')
    await bridge.other.ready()
    const answer = await bridge.call('skill__fetch', input)
    const told = typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text)
    expect(answer).toEqual({ isError: true, content: [{ type: 'text', text: told }] })
    expect(skills.sidecars).toEqual([])
  })
})

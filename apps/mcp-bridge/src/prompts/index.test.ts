import { startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { startBridge } from '../testing/bridge.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'

async function names(bridge: { result<T>(method: string): Promise<T> }): Promise<string[]> {
  const { prompts } = await bridge.result<{ prompts: { name: string }[] }>('prompts/list')
  return prompts.map(({ name }) => name)
}

describe('prompts', () => {
  it('are those of the registry, rendered by their functions with the arguments as they come', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    await using skills = await startSkillsWorker(engine.url)
    skills.prompts.set('refund-order', 'orders::refund-prompt')
    bridge.other.registerFunction('orders::refund-prompt', (input) => `Refund ${JSON.stringify(input)}`)
    await bridge.other.ready()
    expect(await bridge.result('prompts/list')).toEqual({
      prompts: [{ name: 'refund-order', description: 'Prompt refund-order' }],
    })
    const params = { name: 'refund-order', arguments: { order_id: 'o-1' } }
    expect(await bridge.result('prompts/get', params)).toEqual({
      description: 'Prompt refund-order',
      messages: [{ role: 'user', content: { type: 'text', text: 'Refund {"order_id":"o-1"}' } }],
    })
    expect(skills.sidecars).toMatchObject([{ mcp: { call_id: expect.any(String) } }])
  })

  it('need no mcp.expose, but pass the rest of the gate, in the list and when they are got', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, {
      options: { tier: 'user', requireExpose: true, hiddenPrefixes: ['audit'], noBuiltins: true },
    })
    await using skills = await startSkillsWorker(engine.url)
    for (const [name, id, metadata] of [
      ['plain', 'p::plain', {}],
      ['same-tier', 'p::user', { 'mcp.tier': 'user' }],
      ['other-tier', 'p::ops', { 'mcp.tier': 'ops' }],
      ['internal', 'p::internal', { internal: true }],
      ['prefixed', 'audit::prompt', {}],
    ] as const) {
      skills.prompts.set(name, id)
      bridge.other.registerFunction(id, () => name, { metadata })
    }
    skills.prompts.set('engine', 'state::get')
    await bridge.other.ready()
    expect(await names(bridge)).toEqual(['plain', 'same-tier'])
    expect((await bridge.rpc('prompts/get', { name: 'plain' })).message.result).toBeDefined()
    for (const [name, text] of [
      ['other-tier', /is not exposed via mcp.expose metadata$/],
      ['internal', /is in an internal namespace and cannot back a prompt/],
      ['prefixed', /is disabled on this server/],
      ['engine', "Prompt handler 'state::get' is in an internal namespace and cannot back a prompt"],
    ] as const) {
      const { message } = await bridge.rpc('prompts/get', { name })
      expect(message.error?.code).toBe(-32602)
      expect(message.error?.message).toMatch(text)
    }
    expect(skills.sidecars).toHaveLength(1)
  })

  it('whose function is away stay listed, and say so when they are got', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    await using skills = await startSkillsWorker(engine.url)
    skills.prompts.set('lonely', 'gone::handler')
    expect(await names(bridge)).toEqual(['lonely'])
    expect((await bridge.rpc('prompts/get', { name: 'lonely' })).message.error).toEqual({
      code: -32603,
      message: "Function 'gone::handler' is not registered on the engine",
    })
  })

  it('that a grant hides take no name from those of the bridge, and those that it shows do', async () => {
    const tokens = { staff: createToken(), ops: createToken() }
    const auth = AuthBlock.parse({
      tokens: Object.entries(tokens).map(([name, token]) => ({ name, hash: [toDigest(token)], grant: name })),
      grants: { staff: { tiers: ['user'] }, ops: {} },
    })
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { auth } })
    const ask = async (who: keyof typeof tokens) => {
      const authorization = `Bearer ${tokens[who]}`
      const complete = { ref: { type: 'ref/prompt', name: 'build-api' }, argument: { name: 'method', value: '' } }
      const params = { name: 'build-api', arguments: { method: 'GET', path: '/x' } }
      const replies = [
        await bridge.rpc('prompts/list', {}, { authorization }),
        await bridge.rpc('prompts/get', params, { authorization }),
        await bridge.rpc('completion/complete', complete, { authorization }),
      ]
      return replies.map(({ message: { result, error } }) => JSON.stringify(result ?? error))
    }
    await using skills = await startSkillsWorker(engine.url)
    const before = await ask('staff')
    skills.prompts.set('build-api', 'p::own')
    bridge.other.registerFunction('p::own', () => 'ours', { metadata: { 'mcp.tier': 'ops' } })
    await bridge.other.ready()
    const [listed, got] = await ask('ops')
    expect([listed, got]).toEqual([expect.stringContaining('Prompt build-api'), expect.stringContaining('ours')])
    expect(listed?.match(/"name":"build-api"/g)).toHaveLength(1)
    expect(await ask('staff')).toEqual(before)
  })

  it('that nobody registered are not found', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await using _ = await startSkillsWorker(engine.url)
    expect((await bridge.rpc('prompts/get', { name: 'nope' })).message.error).toEqual({
      code: -32602,
      message: expect.stringMatching(/^Prompt not found: nope\. .*prompts\/list has all of them$/),
    })
  })

  it('whose function fails are an error in plain words', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await using skills = await startSkillsWorker(engine.url)
    skills.prompts.set('broken', 'p::broken')
    bridge.other.registerFunction('p::broken', () => {
      throw new Fault('invalid_input', 'order_id is missing')
    })
    await bridge.other.ready()
    expect((await bridge.rpc('prompts/get', { name: 'broken' })).message.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/order_id is missing/),
    })
  })

  it('are suggested for a name that none can have, and those that are hidden are not', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { tier: 'ops' } })
    await using skills = await startSkillsWorker(engine.url)
    skills.prompts.set('refund-order', 'p::refund').set('refund-orders', 'p::hidden')
    bridge.other.registerFunction('p::refund', () => 'x')
    bridge.other.registerFunction('p::hidden', () => 'x', { metadata: { 'mcp.tier': 'root' } })
    await bridge.other.ready()
    const { message } = await bridge.rpc('prompts/get', { name: 'Refund Order' })
    const rule = `name may only contain lowercase ASCII letters, digits, '-' and '_': "Refund Order"`
    expect(message.error).toEqual({
      code: -32602,
      message: `Invalid params: ${rule}. Did you mean refund-order? prompts/list has all of them`,
    })
  })

  it.each([
    [undefined, /needs a non-empty string 'name'/],
    [{ name: '' }, 'Invalid params: name must be non-empty'],
    [
      { name: 'Refund order', arguments: 7 },
      `Invalid params: name may only contain lowercase ASCII letters, digits, '-' and '_': "Refund order"`,
    ],
    [{ name: 'x'.repeat(65) }, 'Invalid params: name too long (65 chars; max 64)'],
    [{ name: 7 }, /needs a non-empty string 'name'/],
    [{ name: 'x', arguments: 'y' }, /'arguments' must be an object/],
    [{ name: 'x', arguments: [1] }, /'arguments' must be an object/],
  ])('are not got with params that are wrong: %j', async (params, text) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { message } = await bridge.rpc('prompts/get', params)
    expect(message.error?.code).toBe(-32602)
    expect(message.error?.message).toMatch(text)
  })

  it('are none without a registry, and getting one says what is missing', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    expect(await bridge.result('prompts/list')).toMatchObject({ prompts: [] })
    const { message } = await bridge.rpc('prompts/get', { name: 'x' })
    expect(message.error).toEqual({
      code: -32603,
      message: expect.stringMatching(/^The skills worker is not installed .* without prompts::mcp-list\./),
    })
  })
})

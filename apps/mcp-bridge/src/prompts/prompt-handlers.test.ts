import { setImmediate } from 'node:timers/promises'
import { startMockEngine } from '@iii/mock-engine'
import { promptsFunctions } from '@iii/protocol'
import { registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { RPC } from '../mcp/rpc.ts'
import { RegistrySilence } from '../resources/registry.ts'
import { startBridge } from '../testing/bridge.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'
import { createPromptHandlers } from './prompt-handlers.ts'

const NOT_TOLD = /does not say which function is behind .* whether this server shows it is not known/

async function names(bridge: { result<T>(method: string): Promise<T> }): Promise<string[]> {
  const { prompts } = await bridge.result<{ prompts: { name: string }[] }>('prompts/list')
  return prompts.map(({ name }) => name)
}

it('one prompt is asked for alone, also by a completion, and found where a registry answers with all', async () => {
  await using engine = await startMockEngine()
  await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
  const asked: unknown[] = []
  const row = (name: string) => ({ name, function_id: 'orders::refund-prompt' })
  bridge.other.registerFunction('prompts::list', (payload) => {
    asked.push(payload)
    return { prompts: ['refund-order', 'other'].map(row) }
  })
  bridge.other.registerFunction('prompts::mcp-get', () => ({ messages: [] }))
  bridge.other.registerFunction('orders::refund-prompt', () => '')
  await bridge.other.ready()
  expect(await bridge.result('prompts/get', { name: 'refund-order' })).toEqual({ messages: [] })
  const ref = { type: 'ref/prompt', name: 'refund-order' }
  await bridge.result('completion/complete', { ref, argument: { name: 'order_id', value: '' } })
  expect(asked).toEqual([{ name: 'refund-order' }, { name: 'refund-order' }])
})

describe('prompts of a registry without prompts::list', () => {
  it('are listed and rendered as the registry does it, before those of the bridge', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await using skills = await startSkillsWorker(engine.url, { namesHandlers: false })
    skills.prompts.set('refund-order', 'orders::refund-prompt').set('build-api', 'orders::refund-prompt')
    bridge.other.registerFunction('orders::refund-prompt', (input) => `Refund ${JSON.stringify(input)}`)
    await bridge.other.ready()
    expect(await names(bridge)).toEqual([
      'refund-order',
      'build-api',
      'register-function',
      'setup-cron',
      'event-pipeline',
    ])
    expect(await bridge.result('prompts/get', { name: 'refund-order', arguments: { order_id: 'o-1' } })).toEqual({
      description: 'Prompt refund-order',
      messages: [{ role: 'user', content: { type: 'text', text: 'Refund {"order_id":"o-1"}' } }],
    })
    expect(await bridge.result('prompts/get', { name: 'build-api' })).toMatchObject({ description: 'Prompt build-api' })
    const ref = { type: 'ref/prompt', name: 'refund-order' }
    const completion = await bridge.result('completion/complete', { ref, argument: { name: 'order_id', value: '' } })
    expect(completion).toMatchObject({ completion: { values: [] } })
    expect((await bridge.rpc('prompts/get', { name: 'nope' })).message.error?.message).toMatch(
      /^Prompt not found: nope\. /,
    )
  })

  it.each([{ tier: 'user' }, { hiddenPrefixes: ['audit'] }])(
    'are hidden where %j decides by the function',
    async (options) => {
      await using engine = await startMockEngine()
      await using bridge = await startBridge(engine, { options: { ...options, noBuiltins: true } })
      await using skills = await startSkillsWorker(engine.url, { namesHandlers: false })
      skills.prompts.set('plain', 'p::plain')
      expect(await names(bridge)).toEqual([])
      expect((await bridge.rpc('prompts/get', { name: 'plain' })).message.error).toEqual({
        code: -32603,
        message: expect.stringMatching(NOT_TOLD),
      })
      // The floor that a configuration repeats hides nothing of the operator's.
      bridge.set({ tier: undefined, hiddenPrefixes: ['engine::', 'state::', 'iii.', 'prompts::'] })
      expect(await names(bridge)).toEqual(['plain'])
    },
  )

  it('pass the gate where the MCP list names their functions', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    const registry = registerWorker(engine.url)
    registry.registerFunction(promptsFunctions.mcpList.id, () => ({
      prompts: [
        { name: 'engine', function_id: 'state::get' },
        { name: 'plain', function_id: 'p::plain' },
      ],
    }))
    registry.registerFunction('p::plain', () => 'plain')
    registry.registerFunction(promptsFunctions.mcpGet.id, () => ({ messages: [] }))
    await registry.ready()
    expect(await names(bridge)).toEqual(['plain'])
    expect(await bridge.result('prompts/get', { name: 'plain' })).toEqual({ messages: [] })
    expect((await bridge.rpc('prompts/get', { name: 'engine' })).message.error?.message).toMatch(/internal namespace/)
    await registry.shutdown()
  })

  it('are listed without those that no client could name', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    const registry = registerWorker(engine.url)
    registry.registerFunction(promptsFunctions.mcpList.id, () => ({
      prompts: [{ name: 'plain' }, { name: 5 }, { description: 'of nothing' }, null],
    }))
    await registry.ready()
    expect(await names(bridge)).toEqual(['plain'])
    await registry.shutdown()
  })
})

describe('prompts of a registry that has none', () => {
  it('are refused by what it lacks, which is not the whole worker', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    const registry = registerWorker(engine.url)
    registry.registerFunction('skills::resources-list', () => ({ resources: [] }))
    await registry.ready()
    expect(await names(bridge)).toEqual([])
    expect((await bridge.rpc('prompts/get', { name: 'plain' })).message.error).toEqual({
      code: -32603,
      message:
        'The skills worker is not installed on this engine, not running, or without prompts::mcp-list. It is the npm package @iii/skills: start it with npx -y @iii/skills',
    })
    await registry.shutdown()
  })
})

describe('a registry that hangs', () => {
  it('keeps nobody from the prompts of the bridge', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { limits: { engineTimeoutMs: 150 } })
    const registry = registerWorker(engine.url)
    for (const { id } of [promptsFunctions.list, promptsFunctions.mcpList])
      registry.registerFunction(id, () => new Promise(() => undefined))
    await registry.ready()
    const { messages } = await bridge.result('prompts/get', { name: 'event-pipeline' })
    expect(messages).toHaveLength(1)
    const ref = { type: 'ref/prompt', name: 'register-function' }
    const completed = await bridge.result('completion/complete', { ref, argument: { name: 'language', value: 'p' } })
    expect(completed).toMatchObject({ completion: { values: ['python'] } })
    await registry.shutdown()
  })

  function startSilence() {
    const questions: { resolve: (rows: object[]) => void; reject: (error: Error) => void }[] = []
    const clock = { now: 0 }
    const find = () => new Promise((resolve, reject) => void questions.push({ resolve, reject }))
    const handlers = createPromptHandlers({ find, list: find, search: find } as never, undefined, () => clock.now)
    const glance = async () => Object.fromEntries(await handlers.glance(1))
    return { questions, clock, glance }
  }
  const late = () => new RegistrySilence(RPC.internal, 'late')
  const build = { name: 'build-api', function_id: 'a::b' }

  it('is taken at what it said last, for which nobody waits twice, and asked all the same, once at a time', async () => {
    const { questions, glance } = startSilence()
    const [known, same] = [glance(), glance()]
    questions[0]?.resolve([build])
    expect([await known, await same]).toEqual([{ 'build-api': 'a::b' }, { 'build-api': 'a::b' }])
    const silent = glance()
    questions[1]?.reject(late())
    expect(await silent).toEqual({ 'build-api': 'a::b' })
    for (let i = 0; i < 3; i++) expect(await glance()).toEqual({ 'build-api': 'a::b' })
    expect(questions).toHaveLength(3)
    questions[2]?.reject(new Error('broken'))
    await setImmediate()
    const broken = glance()
    questions[3]?.reject(new Error('broken'))
    await expect(broken).rejects.toThrow('broken')
    const answered = glance()
    questions[4]?.resolve([])
    expect(await answered).toEqual({})
  })

  it('is waited for again when its silence is long ago', async () => {
    const { questions, clock, glance } = startSilence()
    const silent = glance()
    questions[0]?.reject(late())
    expect(await silent).toEqual({})
    clock.now = 10_001
    const later = glance()
    questions[1]?.resolve([build])
    expect(await later).toEqual({ 'build-api': 'a::b' })
  })
})

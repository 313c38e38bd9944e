import { startMockEngine } from '@iii/mock-engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../../auth/principal.ts'
import { startBridge, type TestBridge } from '../../testing/bridge.ts'
import { startSkillsWorker } from '../../testing/skills-worker.ts'
import { createCannedPrompts } from './index.ts'

const RULES = { requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }
const prompts = createCannedPrompts({ isOn: () => true, rules: () => RULES, functionIds: async () => [] })
const NAMES = ['register-function', 'build-api', 'setup-cron', 'event-pipeline']

async function names(bridge: TestBridge): Promise<string[]> {
  const { prompts: rows } = await bridge.result<{ prompts: { name: string }[] }>('prompts/list')
  return rows.map(({ name }) => name)
}

/** The text of a prompt, or why there is none. */
function render(name: string, input?: Record<string, unknown>): string {
  const answer = prompts.get(name, input) as { mistake?: string; messages?: [{ content: { text: string } }] }
  return answer.mistake ?? answer.messages?.[0].content.text ?? ''
}

describe('the prompts that the bridge brings along', () => {
  it('are listed with their arguments, and got, without a registry', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { prompts: rows } = await bridge.result<{ prompts: { name: string; arguments: { name: string }[] }[] }>(
      'prompts/list',
    )
    expect(rows.map((row) => [row.name, ...row.arguments.map((argument) => argument.name)])).toEqual([
      ['register-function', 'language', 'function_id'],
      ['build-api', 'method', 'path'],
      ['setup-cron', 'schedule'],
      ['event-pipeline'],
    ])
    expect(rows[0]).toMatchObject({
      description: 'Guide to register a function',
      arguments: [{ required: true, description: expect.any(String) }, { required: true }],
    })
    const input = { language: 'python', function_id: 'orders::place' }
    expect(await bridge.result('prompts/get', { name: 'register-function', arguments: input })).toEqual({
      description: 'Guide to register a function',
      messages: [{ role: 'user', content: { type: 'text', text: expect.stringContaining("'orders::place',") } }],
    })
  })

  it('come behind those of the registry, and one of the same name counts before them', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { hiddenPrefixes: ['secret'] } })
    await using skills = await startSkillsWorker(engine.url)
    skills.prompts.set('build-api', 'house::rules').set('setup-cron', 'secret::rules').set('zebra', 'house::rules')
    bridge.other.registerFunction('house::rules', () => 'Ask first')
    await bridge.other.ready()
    expect(await names(bridge)).toEqual(['build-api', 'zebra', 'register-function', 'event-pipeline'])
    expect(await bridge.result('prompts/get', { name: 'build-api' })).toMatchObject({
      messages: [{ content: { text: 'Ask first' } }],
    })
    const hidden = await bridge.rpc('prompts/get', { name: 'setup-cron', arguments: { schedule: '* * * * * *' } })
    expect(hidden.message.error).toMatchObject({ code: -32602, message: expect.stringContaining('is disabled') })
  })

  it('are hidden by --no-builtins', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { noBuiltins: true } })
    const off = (name: string) => ({
      code: -32602,
      message: `Prompt '${name}' is disabled on this server`,
    })
    const askBoth = async () => {
      const { message } = await bridge.rpc('prompts/get', { name: 'event-pipeline' })
      expect(message.error).toEqual(off('event-pipeline'))
      const argument = { name: 'language', value: '' }
      const ref = { type: 'ref/prompt', name: 'register-function' }
      const completion = await bridge.rpc('completion/complete', { ref, argument })
      expect(completion.message.error).toEqual(off('register-function'))
    }
    // Whether there is a registry that could have them, or not.
    await askBoth()
    await using _skills = await startSkillsWorker(engine.url)
    expect(await names(bridge)).toEqual([])
    await askBoth()
  })

  it.each<[string, Record<string, unknown> | undefined, string | RegExp]>([
    ['register-function', undefined, 'Missing required argument: language'],
    ['register-function', { language: 'node', function_id: ' ' }, 'Missing required argument: function_id'],
    ['register-function', { language: 7 }, "Argument 'language' must be a string"],
    [
      'register-function',
      { language: 'cobol', function_id: 'a::b' },
      'Unsupported language `cobol`. Pass `language=node` or `language=python`.',
    ],
    ['register-function', { language: 'constructor', function_id: 'a::b' }, /^Unsupported language `constructor`/],
    ['register-function', { language: 'node', function_id: 'state::x' }, /internal namespace/],
    ['register-function', { language: 'node', function_id: 'a b' }, /may not have spaces/],
    ['register-function', { language: 'node', function_id: 'a```' }, /may not have spaces, backticks/],
    ['build-api', { method: 'FETCH', path: '/x' }, /^Unsupported method `FETCH`. Pass one of GET, POST/],
    ['build-api', { method: 'GET', path: '/{x}' }, /has the segment '\{x\}'/],
    ['build-api', { method: 'GET', path: '/a//b' }, /empty segment/],
    ['setup-cron', { schedule: 'every day' }, /is no schedule. Pass six fields/],
    ['setup-cron', { schedule: 'at nine in the morning' }, /is no schedule/],
    ['setup-cron', { schedule: "* * * * * '" }, /is no schedule/],
    ['setup-cron', { schedule: '*'.repeat(2_000) }, /is no short text/],
  ])('say what is wrong with their arguments: %s %j', async (name, input, text) => {
    expect(render(name, input)).toMatch(text)
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { message } = await bridge.rpc('prompts/get', { name, ...(input === undefined ? {} : { arguments: input }) })
    expect(message.error).toMatchObject({ code: -32602, message: expect.stringMatching(text) })
  })

  it('take what crontab knows, and say what the engine makes of it', () => {
    const text = render('setup-cron', { schedule: '*/5 9-17 * * MON-FRI' })
    expect(text).toContain("config: { expression: '0 */5 9-17 * * MON-FRI' }")
    expect(text).toContain('The engine wants seconds as well')
    expect(render('setup-cron', { schedule: '0 0 9 1,15 * ? 2030' })).toContain("'0 0 9 1,15 * ? 2030'")
  })

  it('tell topics from the named queues of the tool', () => {
    const text = render('event-pipeline', {})
    expect(text).toContain('It needs `iii-queue` among the workers of the engine, which brings topics.')
    expect(text).toContain('named queues of `iii_trigger_enqueue` are something else')
  })

  it('show the new function to the clients of this tier', () => {
    const tiered = createCannedPrompts({
      isOn: () => true,
      rules: () => ({ ...RULES, tier: "o'ps" }),
      functionIds: async () => [],
    })
    for (const [language, metadata] of [
      ['node', `metadata: { 'mcp.expose': true, 'mcp.tier': "o'ps" }`],
      ['python', `metadata={'mcp.expose': True, 'mcp.tier': "o'ps"}`],
    ]) {
      const answer = tiered.get('register-function', { language, function_id: 'a::b' })
      expect(JSON.stringify(answer)).toContain(JSON.stringify(metadata).slice(1, -1))
    }
  })

  it('never let an argument out of its literal', () => {
    const anything = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(fc.constantFrom('node', 'python'), anything, (language, id) => {
        const text = render('register-function', { language, function_id: id })
        const fences = text.match(/^```/gm) ?? []
        expect([0, 2]).toContain(fences.length)
        if (fences.length === 0) return
        const literal = /\n {2,4}(['"].*['"]),\n/.exec(text)?.[1] ?? ''
        const json = literal.startsWith("'") ? `"${literal.slice(1, -1)}"` : literal
        expect(JSON.parse(json)).toBe(id)
      }),
    )
  })
})

describe('their arguments', () => {
  it.each<[string, string, string, string[]]>([
    ['register-function', 'language', '', ['node', 'python']],
    ['register-function', 'language', 'PY', ['python']],
    ['register-function', 'function_id', 'ord', ['orders::']],
    ['build-api', 'method', 'p', ['POST', 'PUT', 'PATCH']],
    ['build-api', 'path', '/webh', ['/webhooks/payments']],
    ['setup-cron', 'schedule', '0 0 9', ['0 0 9 * * *', '0 0 9 * * MON-FRI']],
    ['event-pipeline', 'topic', '', []],
  ])('are completed: %s, %s, %j', async (name, argument, value, start) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    for (const id of ['orders::create', 'orders::cancel', 'users::list']) bridge.other.registerFunction(id, () => 1)
    bridge.other.registerFunction('orders::internal::x', () => 1, { metadata: { 'mcp.expose': false } })
    await bridge.other.ready()
    const params = { ref: { type: 'ref/prompt', name }, argument: { name: argument, value } }
    const { completion } = await bridge.result<{ completion: { values: string[] } }>('completion/complete', params)
    expect(completion.values.slice(0, start.length)).toEqual(start)
    if (argument !== 'method') expect(completion.values).toEqual(start)
  })

  it('are all taken by the prompt that offers them', async () => {
    const input = { language: 'node', function_id: 'a::b', method: 'GET', path: '/', schedule: '* * * * * *' }
    for (const name of NAMES) {
      for (const argument of ['language', 'method', 'path', 'schedule']) {
        for (const value of await prompts.complete(name, { name: argument, value: '' }, EVERYBODY)) {
          expect(render(name, { ...input, [argument]: value })).toContain('```')
        }
      }
    }
  })
})

import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { type HiddenProbe, PROBES, SEARCHES } from '../hidden-probes.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { toStateless } from '../stateless.ts'
import { askAs, createTokenCaller } from '../token-callers.ts'
import { until } from '../until.ts'

const toCaller = (name: string) => createTokenCaller({ name, grant: name })
/**
 * Callers of one bridge; `finder` is `staff` that searches, and `clerk` is kept out by scopes alone, so that it has the tools of runs. What
 * only `ops` may see is called `vault`, and nothing is called `nulla`.
 */
const CALLERS = { ops: toCaller('ops'), staff: toCaller('staff'), finder: toCaller('finder'), clerk: toCaller('clerk') }
type Who = keyof typeof CALLERS
const HIDDEN = 'vault'
const NOTHING = 'nulla'

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  const { path } = cleanup.use(await createTempFolder())
  stack = cleanup.use(await startStack({ workers: ['skills', 'runs'] }))
  const { worker } = stack
  worker.registerFunction('shop::open', () => 'open', { metadata: { mcp: { tier: 'user' } } })
  const resource = { uri: `db://${HIDDEN}`, name: HIDDEN }
  const limits = { tier: 'ops', scopes: [HIDDEN] }
  const own = { ...limits, resource, complete: `${HIDDEN}::names` }
  worker.registerFunction(`${HIDDEN}::open`, () => HIDDEN, { metadata: { mcp: own } })
  const template = { uriTemplate: `db://${HIDDEN}/{name}`, name: HIDDEN }
  worker.registerFunction(`${HIDDEN}::row`, () => HIDDEN, { metadata: { mcp: { ...limits, template } } })
  worker.registerFunction(`${HIDDEN}::names`, () => [HIDDEN], { metadata: { mcp: limits } })
  worker.registerTrigger({
    type: 'http',
    function_id: `${HIDDEN}::open`,
    config: { api_path: `/${HIDDEN}`, http_method: 'GET' },
  })
  await worker.ready()
  const ask = (function_id: string, payload: object) => worker.trigger({ function_id, payload, timeoutMs: 5_000 })
  for (const id of ['shop', HIDDEN]) await ask('skills::register', { id, skill: `# ${id}\n\nAbout ${id}` })
  await ask('prompts::register', { name: HIDDEN, description: HIDDEN, function_id: `${HIDDEN}::open` })
  const staff = { tiers: ['user'], skills: ['shop'], management: true }
  const clerk = { skills: ['shop'], management: true }
  const ops = { scopes: [HIDDEN], management: true }
  const grants = { ops, clerk, staff, finder: { ...staff, tools: 'search' } }
  const settings = { auth: { tokens: Object.values(CALLERS).map(({ row }) => row), grants } }
  const flags = ['--http-builtins', '--allow-run']
  cleanup.use(await startConfiguredBridge(stack.engineUrl, join(path, 'mcp.yaml'), settings, flags))
  await until(async () => (await send('ops', 'prompts/list')).includes(HIDDEN), { what: 'everything to be listed' })
})
afterAll(() => cleanup.run())

const post = (who: Who, method: string, params?: object, headers?: Record<string, string>) =>
  askAs(CALLERS[who].token, stack.mcpUrl, method, params, headers)

const send = async (who: Who, method: string, params?: object) => {
  const headers = method === DISCOVER ? toStateless(method).headers : {}
  return (await post(who, method, params, headers)).body
}

async function expectAsNothing(who: Who, [method, params]: HiddenProbe): Promise<void> {
  const [hidden, nothing] = [await post(who, method, params(HIDDEN)), await post(who, method, params(NOTHING))]
  const toTold = ({ status, body }: { status: number; body: string }, name: string) => ({
    asked: { method, params: params(NOTHING) },
    status,
    body: body.replaceAll(name, NOTHING),
  })
  expect(toTold(hidden, HIDDEN)).toEqual(toTold(nothing, NOTHING))
}

scenario(['access/hidden'], 'what a grant does not name is answered as what is not there, byte for byte', async () => {
  for (const probe of PROBES) await expectAsNothing('staff', probe)
})

/** What the worker of runs tells a caller of a call that it made itself, but for what is another for each call. */
async function readOwnCalls(who: Who, name: string): Promise<string[]> {
  const { runs } = JSON.parse(await send(who, 'tools/call', { name: 'runs__list_runs', arguments: { limit: 100 } }))
    .result.structuredContent as { runs: Record<string, unknown>[] }
  return runs
    .filter((run) => JSON.stringify(run).includes(name))
    .map(({ id: _, started_at: __, duration_ms: ___, input, ...told }) => {
      const { digest: ____, ...value } = (input ?? {}) as Record<string, unknown>
      return JSON.stringify({ ...told, value }).replaceAll(name, NOTHING)
    })
}

scenario(
  ['access/hidden'],
  'to whoever has the tools of runs it is what is not there, afterwards too, in the records of what they asked for',
  async () => {
    const tasks = await send('clerk', 'tools/call', { name: 'runs__list_tasks', arguments: {} })
    expect([tasks.includes('shop::open'), tasks.includes(HIDDEN)]).toEqual([true, false])
    for (const probe of PROBES) await expectAsNothing('clerk', probe)
    await send('clerk', 'tools/call', { name: 'shop__open', arguments: {} })
    await until(async () => (await readOwnCalls('clerk', 'shop__open')).length > 0, { what: 'calls to be recorded' })
    const [hidden, nothing] = [await readOwnCalls('clerk', HIDDEN), await readOwnCalls('clerk', NOTHING)]
    expect(hidden.length).toBeGreaterThan(10)
    expect(hidden).toEqual(nothing)
    for (const task of [HIDDEN, NOTHING].map((name) => `${name}::open`)) {
      const { body } = await post('clerk', 'tools/call', { name: 'runs__list_runs', arguments: { task } })
      expect([task, body]).toEqual([task, expect.not.stringContaining('"asked":"prompt"')])
    }
  },
)

scenario(['access/hidden'], 'it is searched for, and called through the search, as what is not there', async () => {
  const found = await send('finder', 'tools/call', { name: 'search_tools', arguments: { query: 'open' } })
  expect([found.includes('shop__open'), found.includes(HIDDEN)]).toEqual([true, false])
  for (const probe of SEARCHES) await expectAsNothing('finder', probe)
})

scenario(['access/hidden'], 'it is subscribed to, in both eras, as what is not there', async () => {
  const init = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'e2e', version: '1' } }
  const opened = await post('staff', 'initialize', init)
  const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
  for (const uri of [
    (name: string) => `iii://${name}`,
    (name: string) => `iii://fn/${name}/open`,
    (name: string) => `db://${name}`,
  ]) {
    const answers = [HIDDEN, NOTHING].map((name) => post('staff', 'resources/subscribe', { uri: uri(name) }, session))
    const [hidden, nothing] = await Promise.all(answers)
    expect(hidden?.body.replaceAll(HIDDEN, NOTHING)).toBe(nothing?.body)
  }
})

/** Known in 2026-07-28 alone. */
const DISCOVER = 'server/discover'

/** Everything that lists, counts or describes. */
const LISTS: readonly (readonly [method: string, params?: object])[] = [
  ['tools/list'],
  ['resources/list'],
  ['resources/templates/list'],
  ['prompts/list'],
  ['skills/list'],
  ['resources/directory/read', { uri: 'skill://' }],
  ['tools/call', { name: 'skill__fetch', arguments: { uri: 'skill://' } }],
  ['initialize'],
  [DISCOVER, toStateless(DISCOVER).params],
  ['resources/read', { uri: 'iii://skills' }],
  ['resources/read', { uri: 'iii://functions' }],
  ['resources/read', { uri: 'iii://triggers' }],
  ['resources/read', { uri: 'iii://workers' }],
  ['tools/call', { name: 'runs__list_tasks', arguments: {} }],
  ['tools/call', { name: 'runs__graph', arguments: {} }],
]
/** What says how many there are, and names none. */
const COUNTS: typeof LISTS = [['resources/read', { uri: 'iii://context' }]]

scenario(
  ['access/hidden'],
  'no list has it, and those that list it for others are as long as their reader may see',
  async () => {
    const seen: string[] = []
    for (const [method, params] of [...LISTS, ...COUNTS]) {
      for (const who of ['staff', 'clerk'] as const) {
        const answer = await send(who, method, params)
        expect([who, method, params, answer]).toEqual([who, method, params, expect.not.stringContaining(HIDDEN)])
      }
      if ((await send('ops', method, params)).includes(HIDDEN)) seen.push(method)
    }
    // Where nobody is shown it, nothing is hidden.
    expect(seen).toEqual(LISTS.map(([method]) => method))
  },
)

/** Every way to a skill. */
const WAYS_TO_SKILLS: readonly (readonly [method: string, params?: object])[] = [
  ['skills/list'],
  ['skills/get', { uri: 'skill://shop/SKILL.md' }],
  ['resources/read', { uri: 'skill://shop/SKILL.md' }],
  ['resources/read', { uri: 'iii://shop' }],
  ['resources/read', { uri: 'iii://skills' }],
  ['resources/directory/read', { uri: 'skill://shop' }],
  ['resources/directory/read', { uri: 'skill://' }],
  ['tools/call', { name: 'skill__fetch', arguments: { uri: 'iii://shop' } }],
  ['tools/call', { name: 'skill__fetch', arguments: { uri: 'skill://shop/SKILL.md' } }],
  ['tools/call', { name: 'skill__fetch', arguments: { uri: 'skill://' } }],
  ['initialize'],
]

scenario(
  ['access/hidden'],
  'a skill that a grant names is there on each of these ways, beside the hidden',
  async () => {
    for (const [method, params] of WAYS_TO_SKILLS) {
      const answer = JSON.parse(await send('staff', method, params)) as { result?: object }
      expect([method, JSON.stringify(answer.result ?? answer)]).toEqual([method, expect.stringMatching(/shop/i)])
    }
  },
)

import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { sendHttp } from '../http-request.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const toSecret = () => randomBytes(32).toString('base64url')
/** Callers of one bridge; `finder` is `staff` that searches. What only `ops` may see is called `vault`, and nothing is called `nulla`. */
const TOKENS = { ops: toSecret(), staff: toSecret(), finder: toSecret() }
type Who = keyof typeof TOKENS
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
  const own = { tier: 'ops', resource, complete: `${HIDDEN}::names` }
  worker.registerFunction(`${HIDDEN}::open`, () => HIDDEN, { metadata: { mcp: own } })
  const template = { uriTemplate: `db://${HIDDEN}/{name}`, name: HIDDEN }
  worker.registerFunction(`${HIDDEN}::row`, () => HIDDEN, { metadata: { mcp: { tier: 'ops', template } } })
  worker.registerFunction(`${HIDDEN}::names`, () => [HIDDEN], { metadata: { mcp: { tier: 'ops' } } })
  worker.registerTrigger({
    type: 'http',
    function_id: `${HIDDEN}::open`,
    config: { api_path: `/${HIDDEN}`, http_method: 'GET' },
  })
  await worker.ready()
  const ask = (function_id: string, payload: object) => worker.trigger({ function_id, payload, timeoutMs: 5_000 })
  for (const id of ['shop', HIDDEN]) await ask('skills::register', { id, skill: `# ${id}\n\nAbout ${id}` })
  await ask('prompts::register', { name: HIDDEN, description: HIDDEN, function_id: `${HIDDEN}::open` })
  const toToken = (name: Who) => {
    const hash = [`sha256:${createHash('sha256').update(TOKENS[name]).digest('hex')}`]
    return { name, hash, grant: name }
  }
  const staff = { tiers: ['user'], skills: ['shop'], management: true }
  const grants = { ops: { management: true }, staff, finder: { ...staff, tools: 'search' } }
  const auth = { tokens: (['ops', 'staff', 'finder'] as const).map(toToken), grants }
  const file = join(path, 'mcp.yaml')
  await writeFile(file, JSON.stringify({ auth }))
  const flags = ['--config', file, '--http-builtins', '--allow-run']
  const bridge = cleanup.use(startChild(bridgeProgram(stack.engineUrl, flags)))
  await bridge.line(/"msg":"ready"/)
  await until(async () => (await send('ops', 'prompts/list')).includes(HIDDEN), { what: 'everything to be listed' })
})
afterAll(() => cleanup.run())

async function post(who: Who, method: string, params: object = {}, headers: Record<string, string> = {}) {
  return sendHttp(stack.mcpUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKENS[who]}`, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

const send = async (who: Who, method: string, params?: object) => (await post(who, method, params)).body

type Probe = readonly [method: string, params: (name: string) => object]
const read = (uri: (name: string) => string): Probe => ['resources/read', (name) => ({ uri: uri(name) })]
const call = (tool: string, input: (name: string) => object): Probe => [
  'tools/call',
  (name) => ({ name: tool, arguments: input(name) }),
]
const complete = (ref: (name: string) => object, argument: (name: string) => object): Probe => [
  'completion/complete',
  (name) => ({ ref: ref(name), argument: argument(name) }),
]

/** Every way to ask for something by its name. */
const PROBES: readonly Probe[] = [
  ['tools/call', (name) => ({ name: `${name}__open`, arguments: {} })],
  call('skill__fetch', (name) => ({ uri: `iii://${name}` })),
  call('skill__fetch', (name) => ({ uris: ['iii://shop', `iii://${name}`] })),
  call('skill__fetch', (name) => ({ uri: `iii://fn/${name}/open` })),
  call('skill__fetch', (name) => ({ uris: ['iii://shop', `iii://fn/${name}/open`] })),
  call('skill__fetch', (name) => ({ uri: `skill://${name}/SKILL.md` })),
  call('skill__fetch', (name) => ({ uris: ['iii://shop', `skill://${name}/SKILL.md`] })),
  call('skill__fetch', (name) => ({ uri: `skill://${name}` })),
  call('iii_trigger_void', (name) => ({ function_id: `${name}::open`, payload: {} })),
  call('iii_trigger_enqueue', (name) => ({ function_id: `${name}::open`, payload: {} })),
  call('runs__explain_task', (name) => ({ task: `${name}::open` })),
  call('runs__diff_inputs', (name) => ({ task: `${name}::open` })),
  read((name) => `iii://${name}`),
  read((name) => `iii://fn/${name}/open`),
  read((name) => `iii://functions/${name}::open`),
  read((name) => `iii://workers/${name}`),
  read((name) => `db://${name}`),
  read((name) => `db://${name}/row`),
  read((name) => `skill://${name}/SKILL.md`),
  read((name) => `skill://${name}`),
  ['resources/directory/read', (name) => ({ uri: `skill://${name}` })],
  ['skills/get', (name) => ({ uri: `skill://${name}` })],
  ['skills/get', (name) => ({ uri: `skill://${name}/SKILL.md` })],
  ['prompts/get', (name) => ({ name })],
  complete(
    (name) => ({ type: 'ref/prompt', name }),
    () => ({ name: 'x', value: '' }),
  ),
  complete(
    (name) => ({ type: 'ref/resource', uri: `db://${name}/{name}` }),
    () => ({ name: 'name', value: '' }),
  ),
  complete(
    (name) => ({ type: 'ref/resource', uri: `iii://fn/${name}/open` }),
    () => ({ name: 'name', value: '' }),
  ),
  complete(
    () => ({ type: 'ref/resource', uri: 'skill://{+path}' }),
    (name) => ({ name: 'path', value: name }),
  ),
  ...[(name: string) => `iii://${name}`, (name: string) => `skill://${name}/SKILL.md`].map((uri) =>
    complete(
      (name) => ({ type: 'ref/resource', uri: uri(name) }),
      (name) => ({ name: 'path', value: name }),
    ),
  ),
  complete(
    () => ({ type: 'ref/resource', uri: 'iii://functions/{id}' }),
    (name) => ({ name: 'id', value: name }),
  ),
]

const find = (queries: (name: string) => readonly string[], detail: string): Probe =>
  call('search_tools', (name) => ({ queries: queries(name), detail, limit: 20 }))

/** Every way to find something, and to call what was found. */
const SEARCHES: readonly Probe[] = [
  ...['names', 'brief', 'full'].map((detail) => find((name) => [name], detail)),
  find((name) => [`${name}__open`], 'names'),
  find((name) => [`${name}::open`], 'names'),
  find((name) => [`open ${name}`, 'shop'], 'full'),
  call('call_tool', (name) => ({ name: `${name}__open`, arguments: {} })),
  call('call_tool', (name) => ({ name: `${name}__opne`, arguments: {} })),
  call('call_tool', (name) => ({ name: `${name}::open` })),
]

async function expectAsNothing(who: Who, [method, params]: Probe): Promise<void> {
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
  ['resources/read', { uri: 'iii://skills' }],
  ['resources/read', { uri: 'iii://functions' }],
  ['resources/read', { uri: 'iii://triggers' }],
  ['tools/call', { name: 'runs__list_tasks', arguments: {} }],
  ['tools/call', { name: 'runs__graph', arguments: {} }],
]

scenario(
  ['access/hidden'],
  'no list has it, and those that list it for others are as long as their reader may see',
  async () => {
    const seen: string[] = []
    for (const [method, params] of LISTS) {
      expect([method, params, await send('staff', method, params)]).toEqual([
        method,
        params,
        expect.not.stringContaining(HIDDEN),
      ])
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

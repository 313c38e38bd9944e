import { startMockEngine } from '@iii/mock-engine'
import { compareText, formatToolName } from '@iii/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuthBlock } from './auth/settings/auth-block.ts'
import { createToken, toDigest } from './auth/token.ts'
import { startBridge, type TestBridge } from './testing/bridge.ts'
import { runCommand } from './testing/command.ts'
import { type SkillsWorker, startSkillsWorker } from './testing/skills-worker.ts'
import { untilAnswer } from './testing/until.ts'

const TIERS = ['user', 'staff', 'ops']
const SCOPES = ['orders:read', 'orders:write', 'payroll:read']
const NAMES = ['find', 'refund', 'report', 'wipe'] as const
const POLICIES = 200
/** Each for a part of the grants. */
const CATALOGS = [1, 2, 3, 4, 5]

/** What a function says of itself. */
const metadata = fc.record(
  {
    tier: fc.constantFrom(...TIERS),
    scopes: fc.subarray(SCOPES, { maxLength: 2 }),
    expose: fc.constantFrom(true, true, false),
  },
  { requiredKeys: [] },
)
const catalogs = fc.array(metadata, { minLength: NAMES.length, maxLength: NAMES.length })
const grants = fc.record(
  {
    tiers: fc.subarray(TIERS),
    scopes: fc.subarray([...SCOPES, 'orders:*', '*'], { maxLength: 2 }),
    tools: fc.constantFrom('all', 'search'),
  },
  { requiredKeys: [] },
)

/** Each has a grant of its own. */
const holders = fc
  .sample(grants, { numRuns: POLICIES, seed: 21 })
  .map((grant, at) => ({ name: `p${at}`, grant, token: createToken() }))
const auth = AuthBlock.parse({
  tokens: holders.map(({ name, token }) => ({ name, hash: [toDigest(token)], grant: name })),
  grants: Object.fromEntries(holders.map(({ name, grant }) => [name, grant])),
})

let engine: Awaited<ReturnType<typeof startMockEngine>>
let bridge: TestBridge
let registry: SkillsWorker
beforeAll(async () => {
  engine = await startMockEngine()
  bridge = await startBridge(engine, { options: { auth } })
  registry = await startSkillsWorker(engine.url)
})
afterAll(async () => {
  await registry[Symbol.asyncDispose]()
  await bridge[Symbol.asyncDispose]()
  await engine.close()
})

const toId = (round: number, at: number) => `shop::r${round}_${NAMES[at]}`
const toUri = (id: string) => `db://${id}`

/** Puts functions on the engine, each a tool, a section, a resource and the handler of a prompt. */
async function serve(round: number, catalog: readonly object[]): Promise<string[]> {
  const ids = catalog.map((own, at) => {
    const id = toId(round, at)
    const resource = { uri: toUri(id), name: id }
    bridge.other.registerFunction(id, () => `made by ${id}`, { metadata: { mcp: { ...own, resource } } })
    registry.prompts.set(formatToolName(id), id)
    return id
  })
  await bridge.other.ready()
  return ids
}

type Answer = Record<string, unknown>

function createAsker(token: string) {
  const ask = async (method: string, params: object = {}) =>
    (await bridge.rpc(method, params, { authorization: `Bearer ${token}` })).message
  const result = async <T = Answer>(method: string, params?: object): Promise<T> => {
    const { result: found, error } = await ask(method, params)
    if (found === undefined) throw new Error(`${method}: ${error?.message}`)
    return found as T
  }
  const isAnswered = async (method: string, params: object) => {
    const { result: found } = await ask(method, params)
    return found !== undefined && found['isError'] !== true
  }
  return { result, isAnswered }
}

type Asker = ReturnType<typeof createAsker>

/** Those of the ids for which something holds, one after the other. */
async function pick(ids: readonly string[], isIt: (id: string) => Promise<boolean>): Promise<string[]> {
  const picked: string[] = []
  for (const id of ids) if (await isIt(id)) picked.push(id)
  return picked.sort(compareText)
}

const having = (ids: readonly string[], texts: readonly string[]) =>
  ids
    .filter((id) => texts.includes(id) || texts.includes(formatToolName(id)) || texts.includes(toUri(id)))
    .sort(compareText)

/** What somebody is shown of these functions, by everything that lists. */
async function readLists({ result }: Asker, ids: readonly string[], isSearching: boolean) {
  const { tools } = await result<{ tools: { name: string }[] }>('tools/list')
  const { resources } = await result<{ resources: { uri: string }[] }>('resources/list')
  const { prompts } = await result<{ prompts: { name: string }[] }>('prompts/list')
  const { contents } = await result<{ contents: { text: string }[] }>('resources/read', { uri: 'iii://functions' })
  const argument = { name: 'id', value: 'shop::' }
  const { completion } = await result<{ completion: { values: string[] } }>('completion/complete', {
    ref: { type: 'ref/resource', uri: 'iii://functions/{id}' },
    argument,
  })
  const found = isSearching ? await search(result) : undefined
  const page = contents[0]?.text ?? ''
  return {
    tools: having(ids, found ?? tools.map(({ name }) => name)),
    resources: having(
      ids,
      resources.map(({ uri }) => uri),
    ),
    prompts: having(
      ids,
      prompts.map(({ name }) => name),
    ),
    page: ids.filter((id) => page.includes(`"${id}"`)).sort(compareText),
    completion: having(ids, completion.values),
  }
}

async function search(result: Asker['result']): Promise<string[]> {
  const input = { query: 'shop', limit: 20, detail: 'names' }
  const answer = await result<{ structuredContent: { tools: { name: string }[] } }>('tools/call', {
    name: 'search_tools',
    arguments: input,
  })
  return answer.structuredContent.tools.map(({ name }) => name)
}

/** What somebody can do with them. */
async function tryAll({ isAnswered }: Asker, ids: readonly string[], isSearching: boolean) {
  const proxied = (id: string) => ({ name: 'call_tool', arguments: { name: formatToolName(id), arguments: {} } })
  return {
    called: await pick(ids, (id) => isAnswered('tools/call', { name: formatToolName(id), arguments: {} })),
    proxied: isSearching ? await pick(ids, (id) => isAnswered('tools/call', proxied(id))) : undefined,
    section: await pick(ids, (id) => isAnswered('resources/read', { uri: `iii://fn/${id.replace('::', '/')}` })),
    resource: await pick(ids, (id) => isAnswered('resources/read', { uri: toUri(id) })),
    item: await pick(ids, (id) => isAnswered('resources/read', { uri: `iii://functions/${id}` })),
    prompt: await pick(ids, (id) => isAnswered('prompts/get', { name: formatToolName(id) })),
  }
}

/** What the operator is told that somebody may see of these functions. */
async function explain(name: string, ids: readonly string[]): Promise<string[]> {
  const argv = ['explain', '--json', '--all', '--as', `token:${name}`]
  const { stdout } = await runCommand(argv, { env: { III_URL: engine.url } })
  const { functions } = JSON.parse(stdout) as { functions: { tool: { name: string; shown: boolean } }[] }
  return having(
    ids,
    functions.flatMap(({ tool }) => (tool.shown ? [tool.name] : [])),
  )
}

/** All that must be one set, for one of them. */
async function look({ token, grant }: (typeof holders)[number], ids: readonly string[]) {
  const asker = createAsker(token)
  const isSearching = grant.tools === 'search'
  const { prompts, ...lists } = await readLists(asker, ids, isSearching)
  const { prompt, proxied, ...done } = await tryAll(asker, ids, isSearching)
  return { sets: { ...lists, ...done, ...(proxied && { proxied }) }, prompts: { prompts, prompt } }
}

describe('whatever a grant says', () => {
  it.each(CATALOGS)(
    'what is listed is what can be called, read, completed and found, of what 200 grants let through (catalog %i)',
    async (round) => {
      const [catalog = []] = fc.sample(catalogs, { numRuns: 1, seed: round })
      const ids = await serve(round, catalog)
      const whole = AuthBlock.parse({ ...auth, anonymous: { grant: 'whole' }, grants: { ...auth.grants, whole: {} } })
      bridge.set({ auth: whole })
      // One that everybody sees says when the lists are those of the engine.
      const last = `shop::last${round}`
      bridge.other.registerFunction(last, () => 1)
      await untilAnswer(
        () => bridge.rpc('tools/list'),
        ({ text }) => text.includes(formatToolName(last)),
      )
      const sizes = new Set<number>()
      const own = holders.filter((_, nth) => nth % CATALOGS.length === CATALOGS.indexOf(round))
      for (let at = 0; at < own.length; at += 8) {
        const some = own.slice(at, at + 8)
        const looks = await Promise.all(some.map((holder) => look(holder, ids)))
        for (const [nth, { sets, prompts }] of looks.entries()) {
          const told = { grant: some[nth]?.grant, catalog, ...sets }
          const expected = Object.fromEntries(Object.keys(sets).map((key) => [key, sets.called]))
          expect(told).toEqual({ grant: some[nth]?.grant, catalog, ...expected })
          expect(prompts.prompts).toEqual(prompts.prompt)
          sizes.add(sets.called.length)
        }
        const told = await Promise.all(some.map(({ name }) => explain(name, ids)))
        expect(some.map(({ grant }, nth) => ({ grant, catalog, told: told[nth] }))).toEqual(
          some.map(({ grant }, nth) => ({ grant, catalog, told: looks[nth]?.sets.called })),
        )
      }
      // A test in which everybody sees the same shows nothing.
      expect(sizes.size).toBeGreaterThan(1)
    },
    120_000,
  )
})

import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compareText } from '@iii/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { type IssuerServer, startIssuerServer } from '../issuer-server.ts'
import { toIssuerRow } from '../issuer-tokens.ts'
import { bridgeProgram, WORKER_READY } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import {
  type AnyGrant,
  catalogsOf,
  createAsker,
  grantsOfAllKinds,
  having,
  lookEverywhere,
  serveCatalog,
  toOneDecision,
} from '../surfaces.ts'
import { askAs, createTokenCaller } from '../token-callers.ts'
import { until } from '../until.ts'

/** Another one at each run; a failure tells it. */
const SEED = Math.floor(Math.random() * 2 ** 31)
const DRAWN = { numRuns: 6, seed: SEED, unbiased: true }
const IDS = [
  ...['find', 'refund', 'report', 'wipe'].map((name) => `e2e-till::${name}`),
  ...['count', 'move', 'order'].map((name) => `e2e-depot::${name}`),
  ...['ask', 'close', 'open'].map((name) => `e2e-desk::${name}`),
].sort(compareText)
const CATALOG = fc.sample(catalogsOf(IDS.length), { numRuns: 100, seed: SEED }).find(tellsApart) ?? []
const SHOWN = IDS.filter((_, at) => isShown(CATALOG[at]))
/** Of the callers whose grants are another one in each policy. */
const policies = fc.record({
  ada: grantsOfAllKinds,
  bob: grantsOfAllKinds,
  stranger: grantsOfAllKinds,
  person: grantsOfAllKinds,
})

/** Sees all that the bridge shows. */
const ROOT = createTokenCaller({ name: 'root', grant: 'root' })
const [ADA, BOB] = [createTokenCaller({ name: 'ada', grant: 'ada' }), createTokenCaller({ name: 'bob', grant: 'bob' })]
const WHOLE: AnyGrant = { scopes: ['*'] }

type Catalog = ReturnType<typeof catalogsOf> extends fc.Arbitrary<infer Made> ? Made : never
type Policy = typeof policies extends fc.Arbitrary<infer Made> ? Made : never

interface Caller {
  /** Undefined for whoever has none. */
  readonly token: string | undefined
  readonly grant: AnyGrant
  /** What names it to `explain`. */
  readonly words: readonly string[]
}

function isShown(said: Catalog[number] | undefined): boolean {
  return said?.expose !== false
}

/** Whether grants tell some of its functions apart, by tiers and by scopes. */
function tellsApart(catalog: Catalog): boolean {
  const shown = catalog.filter(isShown)
  const [tiers, scopes] = [shown.filter(({ tier }) => tier), shown.filter(({ scopes: asked }) => asked?.length)]
  return tiers.length > 2 && scopes.length > 2
}

const cleanup = createCleanup()
let stack: Stack
let server: IssuerServer
let folder: string

beforeAll(async () => {
  folder = cleanup.use(await createTempFolder()).path
  server = cleanup.use(await startIssuerServer())
  stack = cleanup.use(await startStack({ workers: ['skills'] }))
  const prompts = new Map<string, string>()
  await serveCatalog({ other: stack.worker, registry: { prompts } }, IDS, CATALOG)
  for (const [name, function_id] of prompts) {
    const payload = { name, description: `Prompt ${name}`, function_id }
    await stack.worker.trigger({ function_id: 'prompts::register', payload, timeoutMs: 5_000 })
  }
  await enforce({ ada: {}, bob: {}, stranger: {}, person: {} })
  const bridge = cleanup.use(startChild(bridgeProgram(stack.engineUrl, ['--config', join(folder, 'mcp.yaml')])))
  await bridge.line(WORKER_READY)
  const isListed = async () => {
    const { tools, resources, prompts } = await lookAt(ROOT.token, WHOLE)
    const readable = resources.listed.length === resources.section.length
    return tools.listed.length === SHOWN.length && readable && prompts.listed.length >= SHOWN.length
  }
  await until(isListed, { what: 'the functions to be listed' })
})
afterAll(() => cleanup.run())

/** What of the scopes of its grant a person's token carries; the rest is what the operator wrote. */
const toCarried = ({ scopes = [] }: AnyGrant) => scopes.filter((scope) => !scope.endsWith('*'))

/** Makes it what the file says. @returns a token that is let in as soon as that counts */
async function enforce({ ada, bob, stranger, person }: Policy): Promise<string> {
  const witness = createTokenCaller({ name: 'witness', grant: 'root' })
  const written = person.scopes?.filter((scope) => scope.endsWith('*'))
  const auth = {
    resource: stack.mcpUrl,
    tokens: [ROOT, ADA, BOB, witness].map(({ row }) => row),
    anonymous: { grant: 'stranger' },
    issuers: [toIssuerRow(server, stack.mcpUrl, { grants: [{ grant: 'person' }] })],
    grants: { root: WHOLE, ada, bob, stranger, person: { ...person, ...(written && { scopes: written }) } },
  }
  await writeFile(join(folder, 'mcp.new'), JSON.stringify({ auth }))
  await rename(join(folder, 'mcp.new'), join(folder, 'mcp.yaml'))
  return witness.token
}

async function toCallers({ ada, bob, stranger, person }: Policy): Promise<readonly Caller[]> {
  const exp = Math.floor(Date.now() / 1000) + 300
  const scope = toCarried(person).join(' ')
  const claims = { iss: server.issuer, aud: stack.mcpUrl, sub: 'eve', exp, scope }
  const file = join(folder, 'claims.json')
  await writeFile(file, JSON.stringify(claims))
  return [
    { token: ADA.token, grant: ada, words: ['--as', 'token:ada'] },
    { token: BOB.token, grant: bob, words: ['--as', 'token:bob'] },
    { token: undefined, grant: stranger, words: ['--as', 'anonymous'] },
    { token: await server.idp.sign(claims), grant: person, words: ['--as-claims', file] },
  ]
}

function lookAt(token: string | undefined, { tools }: AnyGrant) {
  const ask = async (method: string, params: object) =>
    JSON.parse((await askAs(token, stack.mcpUrl, method, params)).body)
  return lookEverywhere(createAsker(ask), IDS, tools === 'search')
}

/** The functions that an operator is told somebody sees. */
async function explain(words: readonly string[]): Promise<string[]> {
  const args = ['explain', '--url', stack.engineUrl, '--json', '--all', ...words]
  const { stdout } = await runToEnd({ ...bridgeProgram(''), args })
  const { functions } = JSON.parse(stdout) as { functions: { tool: { name: string; shown: boolean } }[] }
  const shown = functions.flatMap(({ tool }) => (tool.shown ? [tool.name] : []))
  return having(IDS, shown)
}

/** Holds what a caller sees on each way against the others, and against what an operator is told. @returns it */
async function check({ token, grant, words }: Caller, isExplained: boolean): Promise<readonly string[]> {
  const looks = await lookAt(token, grant)
  const { called } = looks.tools
  const told = isExplained ? await explain(words) : called
  const about = { seed: SEED, words, grant, catalog: CATALOG }
  expect({ ...about, ...looks, told }).toEqual({ ...about, ...toOneDecision(looks, IDS, CATALOG), told: called })
  return called
}

scenario(
  ['access/one-decision'],
  'whatever the file says, each caller lists, calls, finds, reads and completes one set of functions, and an operator is told that one',
  async () => {
    const root = { token: ROOT.token, grant: WHOLE, words: ['--as', 'token:root'] }
    const about = { seed: SEED, catalog: CATALOG }
    expect({ ...about, seen: await check(root, true) }).toEqual({ ...about, seen: SHOWN })
    const sets = new Set([SHOWN.join()])
    for (const [nth, policy] of fc.sample(policies, DRAWN).entries()) {
      const witness = await enforce(policy)
      const counts = async () => (await askAs(witness, stack.mcpUrl, 'ping')).status === 200
      await until(counts, { what: 'the file to count' })
      const callers = await toCallers(policy)
      // Two of them are explained under each file, others under the next.
      const seen = await Promise.all(callers.map((caller, at) => check(caller, (at + nth) % 2 === 0)))
      for (const ids of seen) sets.add(ids.join())
    }
    // Where everybody sees the same, nothing is shown.
    expect(sets.size, `with the seed ${SEED}`).toBeGreaterThan(1)
  },
  { timeout: 240_000 },
)

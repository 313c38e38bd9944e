import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { askAs, createTokenCaller, type TokenCaller } from '../token-callers.ts'
import { until } from '../until.ts'

/** What each of many grants names of the skills, on every way to them, with the registry as it is. */
const IDS = ['orders', 'orders/refunds', 'orders/refunds/eu', 'orders-archive', 'payroll', 'docs/payroll']
const GRANTS = 200
const AT_ONCE = 4

/** Also ids of no skill, and beginnings that are none. */
const grants = fc.record(
  {
    skills: fc.subarray([...IDS, 'docs', 'order', 'payroll/2026'], { maxLength: 4 }),
    tools: fc.constantFrom('all', 'search'),
  },
  { requiredKeys: [] },
)

interface Holder extends TokenCaller {
  readonly grant: { readonly skills?: readonly string[]; readonly tools?: string }
}

const toHolder = (grant: Holder['grant'], at: number): Holder => ({
  ...createTokenCaller({ name: `p${at}`, grant: `p${at}` }),
  grant,
})
const holders = fc.sample(grants, { numRuns: GRANTS, seed: 21 }).map(toHolder)

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  const { path } = cleanup.use(await createTempFolder())
  stack = cleanup.use(await startStack({ workers: ['skills'] }))
  const { worker } = stack
  for (const id of IDS) {
    // A text with front matter is a skill of its own, wherever it lies.
    const skill = `---\nname: ${id.split('/').at(-1)}\ndescription: About ${id}.\n---\n\n# ${id}\n`
    await worker.trigger({ function_id: 'skills::register', payload: { id, skill } })
    // Pinned, whoever searches has it in a list too.
    worker.registerFunction(toFunctionId(id), () => id, { metadata: { mcp: { skill: id, pin: true } } })
  }
  await worker.ready()
  const tokens = holders.map(({ row }) => row)
  const auth = { tokens, grants: Object.fromEntries(holders.map(({ row, grant }) => [row.grant, grant])) }
  cleanup.use(await startConfiguredBridge(stack.engineUrl, join(path, 'mcp.yaml'), { auth }))
  const whole = holders.find(({ grant }) => grant.skills === undefined && grant.tools !== 'search')
  if (whole === undefined) throw new Error('nobody sees everything')
  const isListed = async () => {
    const list = JSON.stringify([await ask(whole, 'tools/list'), await ask(whole, 'resources/list')])
    return IDS.every((id) => list.includes(`iii://${id}"`)) && IDS.every((id) => list.includes(toToolName(id)))
  }
  await until(isListed, { what: 'everything to be listed' })
})
afterAll(() => cleanup.run())

const toWord = (id: string) => id.replaceAll(/\W/g, '_')
const toFunctionId = (id: string) => `wiki::${toWord(id)}`
const toToolName = (id: string) => `wiki__${toWord(id)}`

/** @returns the result, or undefined where there is an error in its place */
async function ask({ token }: Holder, method: string, params?: object): Promise<object | undefined> {
  const { body } = await askAs(token, stack.mcpUrl, method, params)
  const { result } = JSON.parse(body) as { result?: { isError?: boolean } }
  return result?.isError === true ? undefined : result
}

/** Every list, and how it names a skill. */
const LISTS: Readonly<Record<string, readonly [method: string, toText: (id: string) => string, params?: object]>> = {
  listed: ['resources/list', (id) => `"uri":"iii://${id}"`],
  'in the index': ['resources/read', (id) => `(iii://${id})`, { uri: 'iii://skills' }],
  'in skills/list': ['skills/list', (id) => `skill://${id}/SKILL.md`],
  'named by tools': ['tools/list', (id) => `"iii/skill":"iii://${id}"`],
}

const toFetch = (uri: string) => ({ name: 'skill__fetch', arguments: { uri } })

/** Every way to read one. */
const READS: readonly (readonly [method: string, toParams: (id: string) => object])[] = [
  ['resources/read', (id) => ({ uri: `iii://${id}` })],
  ['resources/read', (id) => ({ uri: `skill://${id}/SKILL.md` })],
  ['tools/call', (id) => toFetch(`iii://${id}`)],
  ['tools/call', (id) => toFetch(`skill://${id}/SKILL.md`)],
  ['skills/get', (id) => ({ uri: `skill://${id}/SKILL.md` })],
]

/** What the page on access says of `skills`. */
function toExpected({ grant: { skills } }: Holder): readonly string[] {
  return IDS.filter((id) => skills?.some((one) => id === one || id.startsWith(`${one}/`)) ?? true)
}

/** @param at so that each skill is read in another way than by the holder before: all ways for everybody would take a minute */
async function look(holder: Holder, at: number): Promise<object> {
  const seen: Record<string, readonly string[]> = {}
  for (const [what, [method, toText, params]] of Object.entries(LISTS)) {
    const text = JSON.stringify(await ask(holder, method, params))
    seen[what] = IDS.filter((id) => text.includes(toText(id)))
  }
  const answers = await Promise.all(IDS.map((id, nth) => read(holder, id, at + nth)))
  return { ...seen, read: IDS.filter((_, nth) => answers[nth] !== undefined) }
}

async function read(holder: Holder, id: string, turn: number): Promise<object | undefined> {
  const [method, toParams] = READS[turn % READS.length] ?? ['']
  return ask(holder, method, toParams?.(id))
}

scenario(
  ['access/hidden'],
  'the skills that each of 200 grants names are those that are listed, read, fetched and named by tools',
  async () => {
    const sizes = new Set<number>()
    const rest = holders.entries()
    const lane = async () => {
      for (const [at, holder] of rest) {
        const expected = toExpected(holder)
        const all = Object.fromEntries([...Object.keys(LISTS), 'read'].map((what) => [what, expected]))
        expect({ at, grant: holder.grant, ...(await look(holder, at)) }).toEqual({ at, grant: holder.grant, ...all })
        sizes.add(expected.length)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    // A test in which everybody sees the same shows nothing.
    expect(sizes.size).toBeGreaterThan(3)
  },
  { timeout: 120_000 },
)

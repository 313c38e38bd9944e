import { expect } from 'vitest'
import { useBridgesOfFile } from '../bridges-of-file.ts'
import { type OwnStreams, openOwnStreams } from '../own-streams.ts'
import { postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Bearer, createBearer, saveTokens } from '../token-file.ts'
import { until } from '../until.ts'

const [OPS, STAFF] = [createBearer('ops'), createBearer('staff')]
const toEntitled = (tiers: readonly string[]) => [{ bearer: OPS }, { bearer: STAFF, grant: { tiers } }]
/** A resource that both see, and of which both hear what is announced. */
const MARK = 'db://e2e-told'
const MARKED = `resources/updated ${MARK}`
const HEARD = [MARK, 'iii://functions']

const shared = useBridgesOfFile({
  entitled: toEntitled(['user']),
  offer(worker) {
    const resource = { uri: MARK, name: 'mark' }
    worker.registerFunction('e2e-told::mark', () => 'a mark', { metadata: { mcp: { tier: 'user', resource } } })
  },
})

/** @returns what each stream of each of them is told of a change up to a mark that is announced once `ears` were told what is expected of it */
async function hearChange(
  change: () => unknown,
  { all, ears, expected }: { all: readonly OwnStreams[]; ears: OwnStreams; expected: readonly string[] },
): Promise<string[][][]> {
  const from = all.map((streams) => streams.told().map(({ length }) => length))
  const since = () => all.map((streams, whose) => streams.told().map((told, nth) => told.slice(from[whose]?.[nth])))
  const untilAll = (whose: OwnStreams, words: readonly string[]) => {
    const isTold = () => since()[all.indexOf(whose)]?.every((told) => words.every((word) => told.includes(word)))
    return until(isTold, { what: words.join() })
  }
  await change()
  await untilAll(ears, expected)
  await shared.stack.worker.trigger({ function_id: 'mcp::changed', payload: { kind: 'resource', uri: MARK } })
  for (const streams of all) await untilAll(streams, [MARKED])
  return since().map((told) => told.map((words) => [...new Set(words)].filter((word) => word !== MARKED).sort()))
}

const LISTED = ['resources/list_changed', 'resources/updated iii://functions', 'tools/list_changed']
const NOTHING_TOLD = [[], [], []]
const ALL_TOLD = [LISTED, LISTED, LISTED]

async function listTools({ headers }: Bearer): Promise<string> {
  const [message] = await postRequest(shared.stack.mcpUrl, headers, 'tools/list').over
  return JSON.stringify(message)
}

/** A function of a tier, which is a resource as well. */
function register(tier: string) {
  const resource = { uri: `db://e2e-told-${tier}`, name: tier }
  return shared.stack.worker.registerFunction(`e2e-told::${tier}`, () => tier, {
    metadata: { mcp: { tier, resource } },
  })
}

async function openBoth() {
  const { mcpUrl } = shared.stack
  const [ops, staff] = [await openOwnStreams(mcpUrl, OPS, HEARD), await openOwnStreams(mcpUrl, STAFF, HEARD)]
  return {
    hear: (ears: 'ops' | 'staff', change: () => unknown) =>
      hearChange(change, { all: [ops, staff], ears: { ops, staff }[ears], expected: LISTED }),
    [Symbol.dispose]: () => {
      for (const streams of [ops, staff]) streams[Symbol.dispose]()
    },
  }
}

scenario(
  ['access/told'],
  'a function is heard of, when it comes and when it goes, by those alone whose grant shows it',
  async () => {
    using both = await openBoth()
    let own: { unregister(): void } | undefined
    for (const [tier, staff] of [
      ['ops', NOTHING_TOLD],
      ['user', ALL_TOLD],
    ] as const) {
      const come = () => {
        own = register(tier)
      }
      for (const change of [come, () => own?.unregister()]) {
        expect([tier, ...(await both.hear('ops', change))]).toEqual([tier, ALL_TOLD, staff])
      }
    }
  },
)

scenario(['access/told'], 'a grant that shows more, and then less again, is heard of by its holder alone', async () => {
  using both = await openBoth()
  // It is no news any more to whoever sees it already.
  await both.hear('ops', () => register('ops'))
  for (const tiers of [['user', 'ops'], ['user']]) {
    const change = () => saveTokens(shared.file, toEntitled(tiers))
    expect([tiers, ...(await both.hear('staff', change))]).toEqual([tiers, NOTHING_TOLD, ALL_TOLD])
    expect((await listTools(STAFF)).includes('e2e-told__ops')).toBe(tiers.includes('ops'))
  }
})

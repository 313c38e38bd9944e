import { afterEach, expect } from 'vitest'
import { useBridgesOfFile } from '../bridges-of-file.ts'
import { measureBest } from '../measure-best.ts'
import { type OwnStreams, openOwnStreams } from '../own-streams.ts'
import { postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Bearer, createBearer, type Entitled, saveTokens } from '../token-file.ts'
import { until } from '../until.ts'

const [ADA, BOB] = [createBearer('ada'), createBearer('bob')]
/** What changes while both may hear, and what changes once one of them may not. */
const [BEFORE, AFTER] = ['db://e2e-ended-before', 'db://e2e-ended-after']
const toTold = (uri: string) => `resources/updated ${uri}`

const shared = useBridgesOfFile({
  entitled: [ADA, BOB].map((bearer) => ({ bearer })),
  offer(worker) {
    for (const uri of [BEFORE, AFTER]) {
      const resource = { uri, name: uri }
      worker.registerFunction(uri.replace('db://', 'e2e-ended::'), () => 'a note', { metadata: { mcp: { resource } } })
    }
  },
})

const open = new Set<OwnStreams>()
afterEach(() => {
  for (const streams of open) streams[Symbol.dispose]()
  open.clear()
})

async function listen(who: Bearer): Promise<OwnStreams> {
  const streams = await openOwnStreams(shared.stack.mcpUrl, who, [BEFORE, AFTER])
  open.add(streams)
  return streams
}

const announce = (uri: string) =>
  shared.stack.worker.trigger({ function_id: 'mcp::changed', payload: { kind: 'resource', uri } })

const isLetIn = async ({ headers }: Bearer) => (await postRequest(shared.stack.mcpUrl, headers, 'ping').status) === 200

/**
 * Ends the right of one of two who listen.
 *
 * @param end hands out what of her is still in the file, and from when on she is nobody
 * @returns how long the last of her streams went on after that
 */
async function measureEnd(end: () => { left: readonly Entitled[]; at: number }): Promise<number> {
  const bob = { bearer: BOB }
  await saveTokens(shared.file, [{ bearer: ADA }, bob])
  await until(() => isLetIn(ADA), { what: 'her token to count' })
  const [hers, his] = [await listen(ADA), await listen(BOB)]
  await announce(BEFORE)
  for (const streams of [hers, his]) await streams.hear(toTold(BEFORE))
  const times: number[] = []
  for (const { over } of hers.all) void over.then(() => times.push(Date.now()))
  const { left, at } = end()
  await saveTokens(shared.file, [...left, bob])
  await until(async () => !(await isLetIn(ADA)), { what: 'her token to count no more' })
  await announce(AFTER)
  await his.hear(toTold(AFTER))
  await until(() => times.length === hers.all.length, { what: 'her streams to end' })
  expect(Math.min(...times)).toBeGreaterThanOrEqual(at)
  for (const told of hers.told()) expect(told).not.toContain(toTold(AFTER))
  // A reply that ends says that it does.
  expect(hers.all.map(({ messages }) => messages.at(-1)?.result !== undefined)).toEqual([false, false, true])
  await announce(BEFORE)
  const isToldAgain = (told: string[]) => told.lastIndexOf(toTold(BEFORE)) > told.indexOf(toTold(AFTER))
  await until(() => his.told().every(isToldAgain), { what: 'his streams to go on' })
  return Math.max(...times) - at
}

const REMOVED_MS = 3_000
const EXPIRED_MS = 1_000

scenario(
  ['access/ended'],
  'streams end within three seconds of their token being taken out of the file, and tell nothing from then on',
  async () => {
    const best = await measureBest(REMOVED_MS, () => measureEnd(() => ({ left: [], at: Date.now() })))
    expect(best).toBeLessThan(REMOVED_MS)
  },
)

/** A change of the file is seen by then. */
const AHEAD_MS = 1_500

scenario(
  ['access/ended'],
  'streams end within a second of the moment at which their token does, not before, and tell nothing from then on',
  async () => {
    const toExpiring = () => {
      const at = Date.now() + AHEAD_MS
      return { left: [{ bearer: ADA, expires: new Date(at).toISOString() }], at }
    }
    expect(await measureBest(EXPIRED_MS, () => measureEnd(toExpiring))).toBeLessThan(EXPIRED_MS)
  },
)

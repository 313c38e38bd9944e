import { startMockEngine } from '@iii/mock-engine'
import { formatToolName } from '@iii/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuthBlock } from './auth/settings/auth-block.ts'
import { createToken, toDigest } from './auth/token.ts'
import { startBridge, type TestBridge } from './testing/bridge.ts'
import { runCommand } from './testing/command.ts'
import { type SkillsWorker, startSkillsWorker } from './testing/skills-worker.ts'
import {
  catalogs,
  createAsker,
  grantsOfAllKinds,
  having,
  lookEverywhere,
  serveCatalog,
  toOneDecision,
  toShopIds,
} from './testing/surfaces.ts'
import { untilAnswer } from './testing/until.ts'

const POLICIES = 200
/** Each for a part of the grants. */
const CATALOGS = [1, 2, 3, 4, 5]

/** Each has a grant of its own. */
const holders = fc
  .sample(grantsOfAllKinds, { numRuns: POLICIES, seed: 21 })
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

async function look({ token, grant }: (typeof holders)[number], ids: readonly string[]) {
  const ask = async (method: string, params: object) =>
    (await bridge.rpc(method, params, { authorization: `Bearer ${token}` })).message
  return await lookEverywhere(createAsker(ask), ids, grant.tools === 'search')
}

describe('whatever a grant says', () => {
  it.each(CATALOGS)(
    'what is listed is what can be called, read, completed and found, of what 200 grants let through (catalog %i)',
    async (round) => {
      const [catalog = []] = fc.sample(catalogs, { numRuns: 1, seed: round })
      const ids = toShopIds(round)
      await serveCatalog({ other: bridge.other, registry }, ids, catalog)
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
        for (const [nth, seen] of looks.entries()) {
          const about = { grant: some[nth]?.grant, catalog }
          // Whole in the message: a report shows no difference of what was seen.
          expect({ ...about, ...seen }, JSON.stringify({ ...about, ...seen })).toEqual({
            ...about,
            ...toOneDecision(seen, ids, catalog),
          })
          sizes.add(seen.tools.called.length)
        }
        const told = await Promise.all(some.map(({ name }) => explain(name, ids)))
        expect(some.map(({ grant }, nth) => ({ grant, catalog, told: told[nth] }))).toEqual(
          some.map(({ grant }, nth) => ({ grant, catalog, told: looks[nth]?.tools.called })),
        )
      }
      // A test in which everybody sees the same shows nothing.
      expect(sizes.size).toBeGreaterThan(1)
    },
    120_000,
  )
})

import { startMockEngine } from '@iii/mock-engine'
import { compareText, formatToolName } from '@iii/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuthBlock } from './auth/settings/auth-block.ts'
import { createToken, toDigest } from './auth/token.ts'
import { type BridgeReply, startBridge, type TestBridge } from './testing/bridge.ts'
import { type IssuerServer, startIssuerServer } from './testing/issuer-server.ts'
import { AUDIENCE, toIssuerRow, toRightClaims } from './testing/issuer-tokens.ts'
import { type SkillsWorker, startSkillsWorker } from './testing/skills-worker.ts'
import { type StdioBridge, startStdioBridge } from './testing/stdio-bridge.ts'
import {
  type AnyGrant,
  catalogs,
  createAsker,
  grantsOfAllKinds,
  lookEverywhere,
  type OwnMetadata,
  serveCatalog,
  TIERS,
  toOneDecision,
  toShopIds,
} from './testing/surfaces.ts'
import { untilAnswer } from './testing/until.ts'

const TOKEN = createToken()
/** Each with a catalog and grants of its own. */
const ROUNDS = [1, 2, 3, 4]
const GRANTS = 7

/** What the operator of a bridge may say of functions, for everybody. */
const rulesOf = (round: number) =>
  fc.record({
    tier: fc.constantFrom(undefined, ...TIERS),
    requireExpose: fc.boolean(),
    exposeAll: fc.boolean(),
    hiddenPrefixes: fc.subarray([`shop::r${round}_f`, `shop::r${round}_wipe`], { maxLength: 1 }),
    tools: fc.constantFrom('all' as const, 'search' as const),
  })

type Rules = ReturnType<typeof rulesOf> extends fc.Arbitrary<infer Made> ? Made : never

/** Whether a function that says so of itself is a tool for anybody. */
function isExposed({ expose }: OwnMetadata, { tier, requireExpose, exposeAll }: Rules): boolean {
  const needsExpose = requireExpose || (tier !== undefined && !exposeAll)
  return expose === true || (expose === undefined && !needsExpose)
}

/** What these rules leave of functions, for whoever has a grant of everything. */
function toShown(round: number, catalog: readonly OwnMetadata[], rules: Rules): string[] {
  const { tier, hiddenPrefixes } = rules
  return toShopIds(round).filter((id, at) => {
    const own = catalog[at] ?? {}
    const isOfTier = tier === undefined || own.tier === tier
    return isExposed(own, rules) && isOfTier && !hiddenPrefixes.some((text) => id.startsWith(text))
  })
}

/** A catalog, and rules that hide something of it and leave what scopes tell apart. */
function makeRound(round: number) {
  const made = fc.sample(fc.tuple(catalogs, rulesOf(round)), { numRuns: 200, seed: round }).find(([catalog, rules]) => {
    const ids = toShopIds(round)
    const shown = toShown(round, catalog, rules)
    const scoped = shown.filter((id) => (catalog[ids.indexOf(id)]?.scopes?.length ?? 0) > 0)
    return shown.length < ids.length && scoped.length > 0 && scoped.length < shown.length
  })
  if (made === undefined) throw new Error('no rules hide some of a catalog')
  return { catalog: made[0], rules: made[1] }
}

let engine: Awaited<ReturnType<typeof startMockEngine>>
let bridge: TestBridge
let stdio: StdioBridge
let registry: SkillsWorker
let server: IssuerServer
beforeAll(async () => {
  engine = await startMockEngine()
  server = await startIssuerServer()
  registry = await startSkillsWorker(engine.url)
  bridge = await startBridge(engine)
  stdio = startStdioBridge(engine.url, { options: { noBuiltins: false } })
  await stdio.open()
})
afterAll(async () => {
  await stdio[Symbol.asyncDispose]()
  await bridge[Symbol.asyncDispose]()
  await registry[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await engine.close()
})

/** Everybody who may ask has this grant; whoever comes with a token of the issuer brings a part of its scopes along. */
function toAuth(grant: AnyGrant) {
  const granted = grant.scopes?.filter((scope) => scope.endsWith('*'))
  return AuthBlock.parse({
    resource: AUDIENCE,
    tokens: [{ name: 'ci', hash: [toDigest(TOKEN)], grant: 'same' }],
    issuers: [toIssuerRow(server, AUDIENCE, { grants: [{ grant: 'rest' }] })],
    grants: { same: grant, rest: { ...grant, ...(granted && { scopes: granted }) } },
    ...{ anonymous: { grant: 'same' }, stdio: { grant: 'same' }, bus: 'same' },
  })
}

async function toJwt({ scopes = [] }: AnyGrant): Promise<string> {
  const scope = scopes.filter((word) => !word.endsWith('*')).join(' ')
  return await server.idp.sign(toRightClaims(server, AUDIENCE, { scope }))
}

type Ask = Parameters<typeof createAsker>[0]

/** Each kind of principal, and how it asks. */
async function toKinds(grant: AnyGrant): Promise<Readonly<Record<string, Ask>>> {
  const overHttp =
    (token?: string): Ask =>
    async (method, params) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      return (await bridge.rpc(method, params, headers)).message
    }
  return {
    'static token': overHttp(TOKEN),
    'token of an issuer': overHttp(await toJwt(grant)),
    anonymous: overHttp(),
    stdio: async (method, params) => (await stdio.request(method, params)) as BridgeReply['message'],
    bus: async (method, params) => {
      const payload = { jsonrpc: '2.0', id: 1, method, params }
      return await bridge.other.trigger({ function_id: 'mcp::handler', payload })
    },
  }
}

/** Waits until both bridges list the functions of now, by one that nothing hides. */
async function untilListed(round: number, tier: string | undefined): Promise<void> {
  const last = `shop::last${round}`
  bridge.other.registerFunction(last, () => 1, { metadata: { mcp: { expose: true, tier, pin: true } } })
  const list = [() => bridge.rpc('tools/list'), () => stdio.request('tools/list')]
  for (const ask of list) {
    await untilAnswer<unknown>(ask, (reply) => JSON.stringify(reply).includes(formatToolName(last)))
  }
}

interface Round {
  readonly ids: readonly string[]
  readonly catalog: readonly OwnMetadata[]
  readonly rules: Rules
}

/** @returns what all kinds see alike, once they have been held against each other */
async function compareKinds(grant: AnyGrant, { ids, catalog, rules }: Round) {
  const auth = toAuth(grant)
  bridge.set({ auth })
  stdio.set({ auth })
  const isSearching = (grant.tools ?? rules.tools) === 'search'
  const [[, first], ...others] = Object.entries(await toKinds(grant)) as [[string, Ask], ...[string, Ask][]]
  const seen = await lookEverywhere(createAsker(first), ids, isSearching)
  // A bridge of a tier has as tools what is of that tier, and as handlers of prompts also what is of none.
  const isTool = (own: OwnMetadata) => isExposed(own, rules) && (rules.tier === undefined || own.tier !== undefined)
  const decided = toOneDecision(seen, ids, catalog, isTool)
  expect({ grant, catalog, ...seen }).toEqual({ grant, catalog, ...decided })
  for (const [kind, ask] of others) {
    const alike = await lookEverywhere(createAsker(ask), ids, isSearching)
    expect({ kind, grant, catalog, ...alike }).toEqual({ kind, grant, catalog, ...seen })
  }
  return seen
}

describe('whoever has a grant, and whatever else the operator has set', () => {
  it.each(ROUNDS)(
    'sees one set on every way, and the same one as everybody else who has it (round %i)',
    async (round) => {
      const { catalog, rules } = makeRound(round)
      const ids = toShopIds(round)
      await serveCatalog({ other: bridge.other, registry }, ids, catalog)
      for (const each of [bridge, stdio]) each.set({ ...rules, auth: toAuth({}) })
      await untilListed(round, rules.tier)
      const known = { ids, catalog, rules }
      const whole = await compareKinds({ scopes: ['*'] }, known)
      expect({ rules, catalog, seen: whole.tools.called }).toEqual({
        ...{ rules, catalog },
        seen: toShown(round, catalog, rules).sort(compareText),
      })
      for (const grant of fc.sample(grantsOfAllKinds, { numRuns: GRANTS, seed: round })) {
        const { tools } = await compareKinds(grant, known)
        // A grant never widens what the rules leave.
        expect(whole.tools.called).toEqual(expect.arrayContaining(tools.called))
      }
    },
    240_000,
  )
})

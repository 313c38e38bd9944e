import { FETCH_TOOL_ID, isSkillShown, readMcpField, type Via } from '@iii/protocol'
import { EVERYBODY, type Grant, type Principal } from './principal.ts'

/** What a function says of who may use it. */
export interface Access {
  /** Of every tier, whatever it says: what agents are told to follow links with. */
  readonly isNeutral: boolean
  /** Its `mcp.tier`; undefined where it says none, or nothing that can be read. */
  readonly tier: string | undefined
  /** Its `mcp.scopes`, all of which are needed; undefined where what it says cannot be read: then it is nobody's who has a grant. */
  readonly scopes: readonly string[] | undefined
}

/** How a function is reached; `aid`: one that another, which may be used, names for completing its arguments. */
export type Way = Via | 'aid'

const NONE: readonly string[] = []

/** @param functionId its id alone, without a namespace */
export function toAccess(functionId: string, metadata: unknown): Access {
  const tier = readMcpField(metadata, 'tier')
  return {
    isNeutral: functionId === FETCH_TOOL_ID,
    tier: typeof tier === 'string' ? tier : undefined,
    scopes: readScopes(readMcpField(metadata, 'scopes')),
  }
}

function readScopes(said: unknown): readonly string[] | undefined {
  if (said === undefined) return NONE
  const isList = Array.isArray(said) && said.every((scope) => typeof scope === 'string' && scope !== '')
  return isList ? (said as string[]) : undefined
}

/**
 * Is a principal held to a grant? What such a one may not see is for it as if nobody had registered it, in every reply. Whoever is not
 * has the rules of the bridge alone.
 */
export function answersToGrant({ grant, method }: Principal): boolean {
  return grant !== undefined || !(method === 'off' || method === 'stdio' || method === 'bus')
}

/**
 * The decision, on every path: may a principal see and use a function that the rules of the bridge show? Its grant has to name the
 * function's tier, and all scopes that the function asks for have to be the grant's or the token's. A principal that has to have a grant
 * and has none sees nothing.
 */
export function decide(principal: Principal, access: Access, way: Way = 'tool'): 'allow' | 'hidden' {
  if (!answersToGrant(principal)) return 'allow'
  const { grant } = principal
  if (grant === undefined) return 'hidden'
  return reachesTier(grant, access, way) && hasScopes(principal, grant, access) ? 'allow' : 'hidden'
}

function reachesTier({ tiers }: Grant, { isNeutral, tier }: Access, way: Way): boolean {
  if (tiers === undefined || isNeutral) return true
  return tier === undefined ? way === 'aid' : tiers.includes(tier)
}

function hasScopes({ scopes: own }: Principal, { scopes: granted }: Grant, { scopes: needed }: Access): boolean {
  return needed?.every((scope) => own.includes(scope) || granted.some((one) => covers(one, scope))) === true
}

/** Only what an operator wrote stands for more than itself; what a token carries does not. */
function covers(granted: string, scope: string): boolean {
  return granted === scope || (granted.endsWith('*') && scope.startsWith(granted.slice(0, -1)))
}

/** Which skills a principal reads: beginnings of their ids, by whole segments; undefined: all. The one place that says so, for lists, reads and fetching. */
export function toSkillsSeen(principal: Principal): readonly string[] | undefined {
  if (!answersToGrant(principal)) return undefined
  const { grant } = principal
  return grant === undefined ? [] : grant.skills
}

/**
 * May a principal read a skill? The ids of its grant stand for themselves and for what lies under them: `orders` for `orders` and
 * `orders/refunds`, not for `orders-archive`.
 *
 * @param skillId as in its address, `iii://ID`
 */
export function mayReadSkill(principal: Principal, skillId: string): boolean {
  return isSkillShown(skillId, toSkillsSeen(principal))
}

/** May a principal read a file of a skill, or what is on a page beside it? @param path as in its address, `skill://PATH` */
export function mayReadFile(principal: Principal, path: string): boolean {
  return mayReadSkill(principal, path) || mayReadSkill(principal, path.replace(/\.md$/, ''))
}

/** Has a list few tools for somebody, and two that find and call the others? What the grant says counts before the settings. */
export function searchesTools({ grant }: Principal, { tools }: { readonly tools: 'all' | 'search' }): boolean {
  return (grant?.tools ?? tools) === 'search'
}

/** Is somebody told of the runs and calls of others? Of those, too, only what it may see otherwise. */
export function seesAllRuns(principal: Principal): boolean {
  const now = toPresent(principal)
  return !answersToGrant(now) || now.grant?.runs === 'all'
}

/** @param now milliseconds of `Date.now()` */
export function hasExpired({ expiresAt }: Principal, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now
}

/** Does an `auth` block ask who somebody is? */
export function asksWho<Auth extends { readonly mode: string }>(auth: Auth | undefined): auth is Auth {
  return auth !== undefined && auth.mode !== 'off'
}

/** Whoever asks while nobody is asked who they are. Most calls are theirs, and each asks whether that is still so. */
export function createEverybody(settings: () => { readonly mode: string } | undefined): Principal {
  const everybody: Principal = { ...EVERYBODY, asOfNow: () => (asksWho(settings()) ? undefined : everybody) }
  return everybody
}

/** A principal as it stands at a moment: undefined once its token has ended, or the settings have no place for it any more. */
export function toStanding(principal: Principal, now: number): Principal | undefined {
  const standing = principal.asOfNow === undefined ? principal : principal.asOfNow()
  return hasExpired(principal, now) || (standing !== undefined && hasExpired(standing, now)) ? undefined : standing
}

/** A principal as it is at this moment: one that would not be let in any more is held to a grant and has none. */
export function toPresent(principal: Principal): Principal {
  return toStanding(principal, Date.now()) ?? { ...principal, method: 'anonymous', grant: undefined }
}

/**
 * Whether others than this machine are let in while nobody has said who of them may ask. That a proxy in front asks cannot be seen from
 * here, so it has to be said.
 */
export function isUndecided({ allowedHosts, auth }: OpenTo): boolean {
  return allowedHosts.length > 0 && auth === undefined
}

/** Whom the settings let in. */
interface OpenTo {
  readonly allowedHosts: readonly string[]
  readonly auth?: object | undefined
}

export const UNDECIDED =
  'This server answers nothing: allowed_hosts opens it to others, and its configuration file does not say who of them may ask. Give the file an auth block: mode: required with tokens, or mode: off where a proxy in front asks'

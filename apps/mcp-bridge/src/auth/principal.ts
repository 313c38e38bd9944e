import { createHash } from 'node:crypto'

/** How somebody said who they are. */
export type AuthMethod =
  /** Nobody is asked: there is no `auth` block. */
  | 'off'
  | 'anonymous'
  | 'token'
  | 'jwt'
  /** The client that started this process. */
  | 'stdio'
  /** A worker that asks with a bare message. */
  | 'bus'

/** What a principal may see and call. It narrows the rules of the bridge and never widens them. */
export interface Grant {
  readonly name: string
  /** Tiers (`mcp.tier`) that it reaches; undefined: functions of any tier and of none. */
  readonly tiers: readonly string[] | undefined
  /** Scopes that it has beside those of its token; `orders:*` stands for all that begin so. */
  readonly scopes: readonly string[]
  /** Beginnings of the ids of skills that it reads; undefined: all. */
  readonly skills: readonly string[] | undefined
  /** How its tools are listed; undefined: as the bridge has it. */
  readonly tools: 'all' | 'search' | undefined
  /** Whose runs it sees. */
  readonly runs: 'own' | 'all'
  /** Whether it has the management tools over HTTP, where the bridge shows them there. */
  readonly management: boolean
}

/** Who asks. Every request has one, on every transport; what it may do is `decide` (in `auth/decision.ts`) to say, and nothing else. */
export interface Principal {
  /** `token:NAME`, `jwt:HASH-OF-ISSUER:SUBJECT`, `anonymous`, `local` (stdio), `bus`, `everybody` (auth is off). */
  readonly id: string
  readonly method: AuthMethod
  /** Undefined: the rules of the bridge alone. */
  readonly grant: Grant | undefined
  /** Scopes that the token carries. */
  readonly scopes: readonly string[]
  readonly issuer?: string
  readonly subject?: string
  /** Claims of the token that the settings name (`forward_claims`). */
  readonly claims?: Readonly<Record<string, unknown>>
  /** When its token ends, in milliseconds of `Date.now()`; undefined: it does not end by itself. */
  readonly expiresAt: number | undefined
  /** The same as the settings have it at this moment; undefined where it would not be let in any more. Cheap enough for every use. */
  readonly asOfNow?: () => Principal | undefined
}

/** Whoever asks where nobody is asked who they are. */
export const EVERYBODY: Principal = {
  id: 'everybody',
  method: 'off',
  grant: undefined,
  scopes: [],
  expiresAt: undefined,
}

/** What `McpCallRecord` takes. */
const MAX_TOLD_LENGTH = 256

/** What workers are told of who asks; undefined where nobody is asked who they are, and it is everybody. */
export function toToldPrincipal({ id, method }: Principal): string | undefined {
  if (method === 'off' || id.length <= MAX_TOLD_LENGTH) return method === 'off' ? undefined : id
  // Two that begin alike are two.
  const digest = createHash('sha256').update(id).digest('base64url')
  return `${id.slice(0, MAX_TOLD_LENGTH - digest.length - 1).toWellFormed()}~${digest}`
}

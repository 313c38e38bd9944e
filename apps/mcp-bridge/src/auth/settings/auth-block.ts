import { z } from 'zod'
import { findContradictions } from './contradictions.ts'
import { IssuerBlock } from './issuer-block.ts'
import { GrantedScope, Name, SkillId, TierName, toWebAddress } from './words.ts'

/** What one principal may take of a bridge, within what the bridge bears in all. */
const LimitBlock = z.strictObject({
  /** Requests, once the burst is used up. */
  per_minute: z.int().min(1).max(1_000_000).optional(),
  /** Requests at once, where nothing was asked for a while. */
  burst: z.int().min(1).max(100_000).optional(),
  /** Calls of functions under way. */
  concurrent: z.int().min(1).max(256).optional(),
  /** Open streams. */
  streams: z.int().min(1).max(1_024).optional(),
  /** Tasks that run. */
  tasks: z.int().min(1).max(128).optional(),
  /** Addresses that it hears of, in all its sessions and streams. */
  subscriptions: z.int().min(1).max(65_536).optional(),
})

/** Only the digest of a token is ever written down. */
const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, {
  error: "must be sha256: and 64 hexadecimal digits, as 'iii-mcp token create NAME' and 'iii-mcp token hash' print it",
})

const Instant = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: 'must be a date (it ends when that day begins, UTC) or a time with a zone, for example 2027-03-01',
})

/** @param hash Several while a token is replaced: each of them is let in. */
function createTokenBlock(hash: z.ZodType<string[]>) {
  // Its principal is `token:NAME`.
  return z.strictObject({ name: Name, hash, grant: Name, expires: Instant.optional(), limits: LimitBlock.optional() })
}

/** What whoever has it sees and calls, of what the rules of the bridge show. */
const GrantBlock = z.strictObject({
  /** Undefined: functions of every tier and of none. */
  tiers: z.array(TierName).optional(),
  scopes: z.array(GrantedScope).default([]),
  /** Undefined: all. */
  skills: z.array(SkillId).optional(),
  tools: z.enum(['all', 'search']).optional(),
  /** Whose runs and calls the worker of runs shows. */
  runs: z.enum(['own', 'all']).default('own'),
  /** The tools that drive the engine, where the bridge shows them. */
  management: z.boolean().default(false),
})

/** A bare message on the bus is refused, or has a grant. */
const BusBlock = z.union([Name, z.strictObject({ grant: Name })], {
  error: 'must be deny, or the name of a grant',
})

/** Its metadata lies at a path that the engine has to route, below two segments of its own. */
function isServable(resource: string): boolean {
  return !URL.canParse(resource) || /^(?:\/[A-Za-z0-9._~-]{1,64}){0,6}\/?$/.test(new URL(resource).pathname)
}

function createAuthBlock(hash: z.ZodType<string[]>) {
  const block = z.strictObject({
    /** `off`: nobody is asked who they are, and nothing else of the block counts. */
    mode: z.enum(['off', 'required']).default('required'),
    /** The address of the endpoint as people type it. */
    resource: toWebAddress('https://mcp.example.com/mcp')
      .refine((text) => !text.endsWith('/'), { error: 'must not end in /' })
      .refine(isServable, { error: 'must have a path of six segments at most, of letters, digits and . _ ~ -' })
      .optional(),
    tokens: z.array(createTokenBlock(hash)).max(10_000).default([]),
    issuers: z.array(IssuerBlock).max(64).default([]),
    grants: z.record(Name, GrantBlock).default({}),
    /** For callers without a token; undefined: they are refused. */
    anonymous: z.strictObject({ grant: Name, limits: LimitBlock.optional() }).optional(),
    /** For the client that started this process; undefined: the rules of the bridge. */
    stdio: z.strictObject({ grant: Name }).optional(),
    bus: BusBlock.default('deny'),
    /** For each principal that has none of its own. */
    limits: LimitBlock.default({}),
  })
  return block.superRefine(
    (value, context) =>
      findContradictions(value, (path, message) => context.addIssue({ code: 'custom', path, message })),
    { when: () => true },
  )
}

/** The `auth` block of the configuration file. */
export const AuthBlock = createAuthBlock(z.array(Digest).min(1).max(8))
/** The same as a bridge tells it to operators' commands: without the hashes. */
export const ToldAuthBlock = createAuthBlock(z.array(Digest).max(0))

/** Who may ask, and what each of them may, as the file says it. */
export type AuthSettings = z.output<typeof AuthBlock>
export type LimitSettings = z.output<typeof LimitBlock>

/** What a bridge tells of its block: no secret can be guessed from it. */
export function toToldAuth(settings: AuthSettings): AuthSettings {
  return { ...settings, tokens: settings.tokens.map((token) => ({ ...token, hash: [] })) }
}

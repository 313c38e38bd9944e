import { describe, expect, it } from 'vitest'
import { AuthBlock } from './auth-block.ts'

const hash = (digit: string) => `sha256:${digit.repeat(64)}`
const LIMITS = { per_minute: 600, burst: 60, concurrent: 32, streams: 16, tasks: 8, subscriptions: 256 }

/** One that says all that can be said. */
const WHOLE = {
  mode: 'required',
  resource: 'https://mcp.example.com/mcp',
  tokens: [{ name: 'ci', hash: [hash('a'), hash('b')], grant: 'ops', expires: '2027-03-01', limits: LIMITS }],
  issuers: [
    {
      issuer: 'https://login.example.com/realms/acme',
      jwks: 'https://login.example.com/realms/acme/certs',
      audience: ['https://mcp.example.com/mcp'],
      algorithms: ['RS256', 'ES256'],
      type: 'at+jwt',
      clock_tolerance_s: 30,
      subject: 'sub',
      scopes: ['scope', 'scp'],
      require: ['mcp'],
      advertised_scopes: ['mcp'],
      grants: [
        { when: { claim: 'groups', has: 'platform' }, grant: 'ops' },
        { when: { claim: 'email_verified', is: true }, grant: 'staff' },
      ],
      forward_claims: ['email'],
    },
  ],
  grants: {
    ops: { tiers: ['ops', 'user'], scopes: ['orders:*'], tools: 'all', runs: 'all', management: true },
    staff: { tiers: ['user'], skills: ['orders'], tools: 'search' },
  },
  anonymous: { grant: 'staff', limits: LIMITS },
  stdio: { grant: 'ops' },
  bus: 'deny',
  limits: LIMITS,
}

type Place = readonly (string | number)[]

/** Every place of a value, those of lists and mappings too. */
function* findPlaces(value: unknown, place: Place = []): Iterable<readonly [place: Place, value: unknown]> {
  yield [place, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) yield* findPlaces(inner, [...place, key])
}

function replace(value: unknown, [key, ...rest]: Place, by: unknown): unknown {
  if (key === undefined) return by
  if (Array.isArray(value))
    return value.map((inner: unknown, at) => (String(at) === String(key) ? replace(inner, rest, by) : inner))
  const inner: unknown = value && (value as Record<string, unknown>)[key]
  return { ...(value as object), [key]: replace(inner, rest, by) }
}

/** What stands nowhere in a block: what somebody slips into, and what somebody tries. */
const NEVER: readonly unknown[] = [null, '', ' ', -1, 1.5, 1e9, [null], { a: 1 }, '*', '__proto__']
const ALLOWED: readonly RegExp[] = [
  // A claim may be called anything, and be anything.
  /^issuers\.0\.(?:subject|scopes\.\d|forward_claims\.\d|grants\.\d\.when\.claim) (?:"\*"|"__proto__")$/,
  /^issuers\.0\.grants\.\d\.when\.(?:has|is) (?:""|" "|"true"|-1|1\.5|1000000000|"\*"|"__proto__")$/,
  // Words of those who write the metadata of functions.
  /^grants\.\w+\.tiers\.\d (?:" "|"__proto__")$/,
  /^grants\.\w+\.scopes\.\d (?:"\*"|"__proto__")$/,
  // A skill may be called so.
  /^grants\.staff\.skills\.0 "__proto__"$/,
  // Whom tokens are for is between the issuer and whoever registers this server there.
  /^issuers\.0\.audience\.0 "__proto__"$/,
  // What clients are told to ask for, which is between them and their issuer.
  /^issuers\.0\.(?:require|advertised_scopes)\.\d (?:"\*"|"__proto__")$/,
]

describe('a block', () => {
  it('that says all that can be said is right', () => {
    expect(AuthBlock.safeParse(WHOLE).error?.issues).toBeUndefined()
  })

  it('with one wrong value is refused, wherever that is and whatever it is', () => {
    const tries = [...findPlaces(WHOLE)].flatMap(([place, value]) =>
      [...NEVER, typeof value === 'string' ? [value] : String(value)].map((wrong) => ({
        told: `${place.join('.')} ${JSON.stringify(wrong)}`,
        block: replace(WHOLE, place, wrong),
      })),
    )
    const wrong = tries.filter(({ told }) => !ALLOWED.some((pattern) => pattern.test(told)))
    expect(wrong.length).toBeGreaterThan(800)
    const taken = wrong.filter(({ block }) => AuthBlock.safeParse(block).success)
    expect(taken.map(({ told }) => told)).toEqual([])
  })

  it('with one more key is refused, wherever that is', () => {
    const taken: string[] = []
    for (const [place, value] of findPlaces(WHOLE)) {
      if (typeof value !== 'object' || Array.isArray(value)) continue
      if (AuthBlock.safeParse(replace(WHOLE, [...place, 'surplus'], 1)).success) taken.push(place.join('.'))
    }
    expect(taken).toEqual([])
  })

  it('that lacks a part without which it would let in others is refused', () => {
    for (const place of [
      ['resource'],
      ['tokens', 0, 'name'],
      ['tokens', 0, 'hash'],
      ['tokens', 0, 'grant'],
      ['issuers', 0, 'issuer'],
      ['issuers', 0, 'audience'],
      ['issuers', 0, 'grants', 0, 'grant'],
      ['issuers', 0, 'grants', 0, 'when', 'claim'],
      ['issuers', 0, 'grants', 0, 'when', 'has'],
      ['grants', 'ops'],
      ['anonymous', 'grant'],
      ['stdio', 'grant'],
    ] as const) {
      expect([place, AuthBlock.safeParse(replace(WHOLE, place, undefined)).success]).toEqual([place, false])
    }
  })
})

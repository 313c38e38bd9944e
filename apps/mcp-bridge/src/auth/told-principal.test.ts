import { expect, it } from 'vitest'
import { EVERYBODY, type Principal } from './principal.ts'
import { readToldPrincipal, tellPrincipal, toAnswering } from './told-principal.ts'

const ADA: Principal = {
  id: 'jwt:abc:ada',
  method: 'jwt',
  grant: {
    ...{ name: 'staff', tiers: undefined, scopes: ['orders:*'], skills: ['orders'] },
    ...{ tools: undefined, runs: 'own', management: false },
  },
  scopes: ['mcp'],
  issuer: 'https://login.example.com',
  subject: 'ada',
  claims: { team: ['a'] },
  expiresAt: 1_795_000_000_000,
  asOfNow: () => undefined,
}

it.each([ADA, EVERYBODY])('a caller is read as it was told, $id', (principal) => {
  const { asOfNow: _, ...rest } = principal
  expect(readToldPrincipal(JSON.parse(JSON.stringify(tellPrincipal(principal))))).toEqual(rest)
})

it.each([undefined, null, 'ada', {}, { ...tellPrincipal(ADA), method: 'root' }, { ...tellPrincipal(ADA), grant: {} }])(
  'what is no caller counts for nobody: %j',
  (value) => {
    expect(readToldPrincipal(value)).toBeUndefined()
  },
)

it('a call goes on as whoever answers it, if that is who began it', () => {
  const now = { ...ADA, scopes: ['mcp', 'more'] }
  expect(toAnswering(ADA, now)).toBe(now)
  expect(toAnswering(ADA, { ...now, id: 'jwt:abc:bob' })).toBe(ADA)
  expect(toAnswering(ADA, undefined)).toBe(ADA)
})

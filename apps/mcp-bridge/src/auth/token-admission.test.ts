import { expect, it } from 'vitest'
import { toHolder } from '../testing/principals.ts'
import type { Issuers } from './issuers/index.ts'
import type { TokenVerdict } from './issuers/token-verdict.ts'
import type { Policy } from './policy.ts'
import { createTokenAdmission } from './token-admission.ts'

const POLICY = {
  challenge: { resource: 'https://mcp.example.com/mcp', scopes: ['mcp'] },
  issuersInForce: { issuers: [{}] },
  tokens: { find: () => undefined },
} as unknown as Policy

/** @param verify what becomes of a token */
function createStage(verify: (token: string) => TokenVerdict) {
  let verified = 0
  const issuers: Issuers = {
    recall: () => undefined,
    knows: (token) => token === KNOWN,
    verify: async (token) => {
      verified += 1
      return verify(token)
    },
  }
  const admission = createTokenAdmission({ issuers, now: Date.now })
  return {
    verified: () => verified,
    async statusOf(token: string) {
      const told = await admission.admit(token, POLICY)
      return told.kind === 'principal' ? 200 : told.status
    },
  }
}

const KNOWN = 'known.b.c'
const FORGED = 'forged.b.c'

it('a token of an issuer that is too narrow counts as a bad one does, for each costs as much', async () => {
  const { statusOf, verified } = createStage(() => ({ kind: 'insufficient', scopes: ['mcp'] }))
  const statuses: number[] = []
  for (let nth = 0; nth < 1_000; nth++) statuses.push(await statusOf(FORGED))
  expect(new Set(statuses.slice(0, 100))).toEqual(new Set([403]))
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(500)
  expect(verified()).toBeLessThan(500)
})

it('whoever makes tokens up keeps nobody out whose token was right before, and only has to be verified again', async () => {
  const { statusOf } = createStage((token) =>
    token === KNOWN ? { kind: 'principal', principal: toHolder('ada') } : { kind: 'invalid', why: 'signature' },
  )
  const statuses: number[] = []
  for (let nth = 0; nth < 1_000; nth++) statuses.push(await statusOf(FORGED), await statusOf(KNOWN))
  expect(statuses).toContain(429)
  expect(new Set(statuses.filter((_, at) => at % 2 === 1))).toEqual(new Set([200]))
})

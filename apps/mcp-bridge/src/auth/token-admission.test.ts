import { expect, it } from 'vitest'
import type { Policy } from './policy.ts'
import { createTokenAdmission } from './token-admission.ts'

it('a token of an issuer that is too narrow counts as a bad one does, for each costs as much', async () => {
  let verified = 0
  const admission = createTokenAdmission({
    issuers: {
      recall: () => undefined,
      verify: async () => {
        verified += 1
        return { kind: 'insufficient', scopes: ['mcp'] }
      },
    },
    isLive: () => true,
  })
  const policy = {
    challenge: { resource: 'https://mcp.example.com/mcp', scopes: ['mcp'] },
    issuersInForce: { issuers: [{}] },
    tokens: { find: () => undefined },
  } as unknown as Policy
  const statuses: unknown[] = []
  for (let nth = 0; nth < 1_000; nth++) {
    const told = await admission.admit('a.b.c', policy)
    statuses.push(told.kind === 'refused' && told.status)
  }
  expect(new Set(statuses.slice(0, 100))).toEqual(new Set([403]))
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(500)
  expect(verified).toBeLessThan(500)
})

import { expect, it } from 'vitest'
import { toIssuersInForce } from '../../testing/issuer-stage.ts'
import { AUDIENCE } from '../../testing/issuer-tokens.ts'
import { createVerifiedTokens } from './verified-tokens.ts'

it('of tokens that were verified the last 2048 are known', () => {
  const settings = toIssuersInForce('https://login.example.com')
  const [issuer] = settings.issuers
  if (issuer === undefined) throw new Error('there is an issuer')
  const tokens = createVerifiedTokens({ settings: () => settings, keysOf: () => ({ edition: () => 1 }), now: () => 0 })
  const add = (token: string) => {
    const claims = { iss: issuer.issuer, aud: AUDIENCE, sub: token, exp: 60, email_verified: true }
    return tokens.add(token, { claims, algorithm: 'ES256', type: undefined }, { issuer, edition: 1 }).kind
  }
  for (let at = 0; at < 2_048; at++) expect(add(`t${at}`)).toBe('principal')
  add('t0')
  expect(['t0', 't1'].map(tokens.has)).toEqual([true, true])
  add('one more')
  expect(['t0', 't1', 't2', 'one more'].map(tokens.has)).toEqual([true, false, true, true])
})

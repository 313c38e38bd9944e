import { createHmac } from 'node:crypto'
import {
  type CryptoKey,
  decodeJwt,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { createIssuerStage, type IssuerStage } from '../../testing/issuer-stage.ts'
import { AUDIENCE } from '../../testing/issuer-tokens.ts'
import { createJwtIssuer, JWKS_URL } from '../../testing/jwt-issuer.ts'

describe('what counts', () => {
  let stage: IssuerStage
  beforeAll(async () => {
    stage = await createIssuerStage()
  })
  const seconds = (offset: number) => stage.now / 1000 + offset

  it.each<[string, (stage: IssuerStage) => Record<string, unknown>]>([
    ['a good one', () => ({})],
    ['one that expired within the tolerance', () => ({ exp: seconds(-29) })],
    ['one for several, us among them', () => ({ aud: ['https://other.example.com', AUDIENCE] })],
    ['one that counts from now on', () => ({ nbf: seconds(0) })],
    ['one that Keycloak calls a bearer token', () => ({ typ: 'Bearer' })],
  ])('is %s', async (_, changes) => {
    expect(await stage.issuers.verify(await stage.idp.sign(stage.claims(changes(stage))))).toMatchObject({
      kind: 'principal',
    })
  })

  it.each<[string, string, (stage: IssuerStage) => Record<string, unknown>]>([
    ['that expired', 'expired', () => ({ exp: seconds(-31) })],
    ['that counts later', 'not-yet-valid', () => ({ nbf: seconds(60) })],
    ['without an end', 'claims', () => ({ exp: undefined })],
    ['with an end in words', 'claims', () => ({ exp: '2099-01-01' })],
    ['for somebody else', 'audience', () => ({ aud: 'https://other.example.com/mcp' })],
    ['for an address below ours', 'audience', () => ({ aud: `${AUDIENCE}/` })],
    ['for nobody', 'audience', () => ({ aud: undefined })],
    ['of another issuer', 'unknown-issuer', () => ({ iss: 'https://evil.example.com' })],
    ['of an issuer with a slash more', 'unknown-issuer', () => ({ iss: 'https://login.example.com/' })],
    ['of no issuer', 'unknown-issuer', () => ({ iss: undefined })],
    ['of a list of issuers', 'unknown-issuer', () => ({ iss: ['https://login.example.com'] })],
    ['about nobody', 'nobody-named', () => ({ sub: undefined })],
    ['for the client that asked for it, as ID tokens are', 'audience', () => ({ aud: 'client-1', nonce: 'n' })],
    ['that is an ID token for our audience', 'kind-of-token', () => ({ at_hash: 'x' })],
    ['that Keycloak calls an ID token', 'kind-of-token', () => ({ typ: 'ID' })],
    [
      'that tells of a logout',
      'kind-of-token',
      () => ({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }),
    ],
    ['that Keycloak calls a refresh token', 'kind-of-token', () => ({ typ: 'Refresh' })],
  ])('is none %s', async (_, why, changes) => {
    const token = await stage.idp.sign(stage.claims(changes(stage)))
    expect(await stage.issuers.verify(token)).toEqual({ kind: 'invalid', why })
    expect(stage.issuers.recall(token)).toBeUndefined()
  })

  it('is none without a signature, or with one of a secret that is none', async () => {
    const { idp, issuers, claims } = stage
    const unsecured = new UnsecuredJWT(claims()).encode()
    expect(await issuers.verify(unsecured)).toEqual({ kind: 'invalid', why: 'algorithm' })
    const head = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url')
    const body = head(claims())
    const publicKey = (await importJWK(await idp.toJwk('first'), 'ES256', { extractable: true })) as CryptoKey
    for (const secret of [await exportSPKI(publicKey), JSON.stringify(await idp.toJwk('first'))]) {
      const signed = `${head({ alg: 'HS256', kid: 'first' })}.${body}`
      const forged = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
      expect(await issuers.verify(forged)).toEqual({ kind: 'invalid', why: 'algorithm' })
    }
  })

  it('is none that is forged, changed, cut, or no token at all', async () => {
    const { idp, issuers, claims } = stage
    const token = await idp.sign(claims())
    const [head = '', body = '', signature = ''] = token.split('.')
    const changed = Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: 'root' })).toString('base64url')
    const stranger = createJwtIssuer()
    expect(await issuers.verify(`${head}.${changed}.${signature}`)).toEqual({ kind: 'invalid', why: 'signature' })
    expect(await issuers.verify(await stranger.sign(claims()))).toEqual({ kind: 'invalid', why: 'signature' })
    const embedded = { jwk: await stranger.toJwk('evil'), jku: 'https://evil.example.com/keys', kid: 'first' }
    expect(await issuers.verify(await stranger.sign(claims(), embedded))).toEqual({ kind: 'invalid', why: 'signature' })
    for (const text of ['', '..', 'a.b.c', `${head}.${body}`, `${head}.${body}.`, `${token}.x`, `${token}x`, 'ü.ü.ü']) {
      expect(await issuers.verify(text)).toMatchObject({ kind: 'invalid' })
    }
  })

  it.each<[string, object]>([
    ['another one', { alg: 'ES256', kid: 'second' }],
    ['no name', { alg: 'ES256', kid: '' }],
    ['a number', { alg: 'ES256', kid: 7 }],
    ['an object', { alg: 'ES256', kid: { toString: 'first' } }],
    ['a list with its name', { alg: 'ES256', kid: ['first'] }],
    ['the name of a member of every object', { alg: 'ES256', kid: '__proto__' }],
    ['a path', { alg: 'ES256', kid: '../first' }],
    ['an address', { alg: 'ES256', kid: 'https://evil.example.com/keys#first' }],
    ['a very long name', { alg: 'ES256', kid: 'first'.repeat(1_000) }],
    ['its name, with another algorithm', { alg: 'RS256', kid: 'first' }],
    ['its name, with no algorithm', { kid: 'first' }],
    ['its name, with an algorithm in other letters', { alg: 'es256', kid: 'first' }],
    ['its name, without coding its body', { alg: 'ES256', kid: 'first', b64: false, crit: ['b64'] }],
  ])('is none whose header names for its key %s', async (_, header) => {
    const [, body = '', signature = ''] = (await stage.idp.sign(stage.claims())).split('.')
    const head = Buffer.from(JSON.stringify(header)).toString('base64url')
    expect(await stage.issuers.verify(`${head}.${body}.${signature}`)).toMatchObject({ kind: 'invalid' })
    expect(await stage.issuers.verify(await stage.idp.sign(stage.claims()))).toMatchObject({ kind: 'principal' })
  })

  it('is none that one issuer has signed in the name of another, whose key is called the same', async () => {
    const { issuers, idp, claims, settings } = await createIssuerStage({ jwks: undefined })
    const other = createJwtIssuer('https://login.example.com/realms/acme')
    await other.publish('first')
    for (const [at, { issuer, documents }] of [idp, other].entries()) {
      const jwks = `https://login.example.com/keys/${at}`
      idp.documents.set(jwks, documents.get(JWKS_URL))
      idp.documents.set(`${issuer}/.well-known/openid-configuration`, { issuer, jwks_uri: jwks })
    }
    const [first] = settings.issuers
    if (first === undefined) throw new Error('there is an issuer')
    Object.assign(settings, { issuers: [first, { ...first, issuer: other.issuer }] })
    const verify = async (by: typeof idp, iss: string) => (await issuers.verify(await by.sign(claims({ iss })))).kind
    expect([await verify(idp, idp.issuer), await verify(other, other.issuer)]).toEqual(['principal', 'principal'])
    expect([await verify(idp, other.issuer), await verify(other, idp.issuer)]).toEqual(['invalid', 'invalid'])
  })

  it('is of a new key at once that is called as the one before', async () => {
    const { idp, issuers, claims } = await createIssuerStage()
    const old = await idp.sign(claims())
    expect(await issuers.verify(old)).toMatchObject({ kind: 'principal' })
    const heir = createJwtIssuer(idp.issuer)
    idp.documents.set(JWKS_URL, { keys: [await heir.toJwk('first')] })
    expect(await issuers.verify(await heir.sign(claims()))).toMatchObject({ kind: 'principal' })
    expect(await issuers.verify(old)).toEqual({ kind: 'invalid', why: 'signature' })
  })

  it('is of any of eight keys, and no more, of an issuer that gives them no names', async () => {
    const { idp, issuers, claims } = await createIssuerStage()
    const pairs = await Promise.all(Array.from({ length: 9 }, () => generateKeyPair('ES256', { extractable: true })))
    const keys = await Promise.all(
      pairs.map(async ({ publicKey }) => ({ ...(await exportJWK(publicKey)), alg: 'ES256' })),
    )
    idp.documents.set(JWKS_URL, { keys })
    const verify = async (at: number, changes = {}) => {
      const { privateKey } = pairs[at] ?? (await generateKeyPair('ES256'))
      const token = await new SignJWT(claims(changes)).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
      const verdict = await issuers.verify(token)
      return verdict.kind === 'invalid' ? verdict.why : verdict.kind
    }
    expect([await verify(0), await verify(7)]).toEqual(['principal', 'principal'])
    expect([await verify(8), await verify(9)]).toEqual(['signature', 'signature'])
    expect([await verify(7, { exp: 1 }), await verify(7, { aud: 'x' })]).toEqual(['expired', 'audience'])
  })

  it('is none that is forged, as often as it comes, and the keys are read once more for a crowd of them', async () => {
    const { idp, issuers, claims } = await createIssuerStage()
    await issuers.verify(await idp.sign(claims()))
    expect(await issuers.verify(await idp.sign(claims({ exp: 1 })))).toEqual({ kind: 'invalid', why: 'expired' })
    expect(idp.fetched).toHaveLength(1)
    const forged = await createJwtIssuer(idp.issuer).sign(claims())
    for (let round = 0; round < 3; round++) {
      const verdicts = await Promise.all(Array.from({ length: 20 }, () => issuers.verify(forged)))
      expect(new Set(verdicts.map((verdict) => JSON.stringify(verdict)))).toEqual(
        new Set([JSON.stringify({ kind: 'invalid', why: 'signature' })]),
      )
    }
    expect(idp.fetched).toHaveLength(2)
    idp.documents.clear()
    expect(await issuers.verify(forged)).toEqual({ kind: 'invalid', why: 'signature' })
    expect(await issuers.verify(await idp.sign(claims()))).toMatchObject({ kind: 'principal' })
  })

  it('is none with an extension that has to be understood', async () => {
    const { idp, issuers, claims } = stage
    const [, body = '', signature = ''] = (await idp.sign(claims())).split('.')
    const header = { alg: 'ES256', kid: 'first', crit: ['exp2'], exp2: 1 }
    const head = Buffer.from(JSON.stringify(header)).toString('base64url')
    expect(await issuers.verify(`${head}.${body}.${signature}`)).toEqual({ kind: 'invalid', why: 'malformed' })
  })

  it('is none of an algorithm that the settings do not name', async () => {
    const { idp, issuers, claims } = await createIssuerStage({ algorithms: ['RS256'] })
    expect(await issuers.verify(await idp.sign(claims()))).toEqual({ kind: 'invalid', why: 'algorithm' })
  })

  it('is only what says that it is an access token, where the settings want that', async () => {
    const { idp, issuers, claims } = await createIssuerStage({ type: 'at+jwt' })
    expect(await issuers.verify(await idp.sign(claims()))).toEqual({ kind: 'invalid', why: 'kind-of-token' })
    expect(await issuers.verify(await idp.sign(claims(), { typ: 'JWT' }))).toEqual({
      kind: 'invalid',
      why: 'kind-of-token',
    })
    expect(await issuers.verify(await idp.sign(claims(), { typ: 'at+jwt' }))).toMatchObject({ kind: 'principal' })
  })
})

import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createJwtIssuer, JWKS_URL } from '../../testing/jwt-issuer.ts'
import { createIssuerKeys } from './issuer-keys.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

async function createStage({ isNamed = true } = {}) {
  const idp = createJwtIssuer()
  await idp.publish('first')
  const troubles: (string | undefined)[] = []
  const clock = { now: 0 }
  const keys = createIssuerKeys({
    issuer: idp.issuer,
    jwks: isNamed ? JWKS_URL : undefined,
    fetchDocument: idp.fetchDocument,
    onChange: (trouble) => troubles.push(trouble),
    now: () => clock.now,
  })
  return {
    clock,
    idp,
    troubles,
    find: (kid: string) =>
      Promise.resolve(keys.find({ alg: 'ES256', kid }, { payload: '', signature: '' })).then(
        () => 'found',
        (error: Error) => error.name,
      ),
    goAway: () => idp.documents.delete(JWKS_URL),
  }
}

describe('the keys of an issuer', () => {
  it('are read when the first is needed, once for all who ask', async () => {
    const { find, idp } = await createStage()
    expect(idp.fetched).toEqual([])
    expect(await Promise.all([find('first'), find('first'), find('first')])).toEqual(['found', 'found', 'found'])
    expect(idp.fetched).toEqual([JWKS_URL])
  })

  it('are read again after ten minutes, and what is not there any more ends', async () => {
    const stage = await createStage()
    await stage.find('first')
    await stage.idp.publish('second')
    stage.clock.now = 10 * MINUTE_MS - 1
    expect(await stage.find('first')).toBe('found')
    stage.clock.now = 10 * MINUTE_MS
    expect(await stage.find('first')).toBe('JWKSNoMatchingKey')
    expect(await stage.find('second')).toBe('found')
  })

  it('include a new one at once, and a crowd of unknown ones is two looks', async () => {
    const stage = await createStage()
    await stage.find('first')
    await stage.idp.publish('first', 'second')
    expect(await stage.find('second')).toBe('found')
    expect(stage.idp.fetched).toHaveLength(2)
    const crowd = await Promise.all(Array.from({ length: 1_000 }, () => stage.find(randomUUID())))
    expect(new Set(crowd)).toEqual(new Set(['JWKSNoMatchingKey']))
    expect(stage.idp.fetched).toHaveLength(2)
    stage.clock.now += 30_000
    await stage.idp.publish('second', 'third')
    expect(await stage.find('third')).toBe('found')
  })

  it('are looked for twice at most where a crowd of unknown ones comes first', async () => {
    const stage = await createStage()
    await Promise.all(Array.from({ length: 1_000 }, () => stage.find(randomUUID())))
    for (let at = 0; at < 100; at++) await stage.find(randomUUID())
    expect(stage.idp.fetched).toHaveLength(2)
    expect(await stage.find('first')).toBe('found')
  })

  it('serve on for a day while the issuer is away, and nobody waits for it', async () => {
    const stage = await createStage()
    await stage.find('first')
    stage.goAway()
    for (const at of [10 * MINUTE_MS, HOUR_MS, 24 * HOUR_MS - 1]) {
      stage.clock.now = at
      expect(await stage.find('first')).toBe('found')
    }
    expect(stage.troubles).toEqual([`${JWKS_URL} does not answer`])
    stage.clock.now = 24 * HOUR_MS
    expect(await stage.find('first')).toBe('KeysUnavailable')
  })

  it('that cannot be read are tried again after five seconds, without a restart', async () => {
    const stage = await createStage()
    stage.goAway()
    expect(await stage.find('first')).toBe('KeysUnavailable')
    expect(await stage.find('first')).toBe('KeysUnavailable')
    expect(stage.idp.fetched).toHaveLength(1)
    await stage.idp.publish('first')
    stage.clock.now = 5_000
    expect(await stage.find('first')).toBe('found')
    expect(stage.troubles).toEqual([`${JWKS_URL} does not answer`, undefined])
  })

  it('that are new while the issuer is away are undecided, and found within five seconds of its return', async () => {
    const stage = await createStage()
    await stage.find('first')
    stage.goAway()
    const crowd = await Promise.all(Array.from({ length: 100 }, () => stage.find(randomUUID())))
    expect([...new Set(crowd), await stage.find('second')]).toEqual(['KeysUnavailable', 'KeysUnavailable'])
    expect(await stage.find('first')).toBe('found')
    expect(stage.idp.fetched).toHaveLength(2)
    await stage.idp.publish('first', 'second')
    stage.clock.now += 5_000
    expect(await stage.find('second')).toBe('found')
    expect(await stage.find('third')).toBe('JWKSNoMatchingKey')
    expect(stage.idp.fetched).toHaveLength(3)
  })

  it.each([{}, { keys: [] }, { keys: {} }, { keys: [1] }, null, 'keys', [[]]])('are not %j', async (document) => {
    const stage = await createStage()
    await stage.find('first')
    stage.idp.documents.set(JWKS_URL, document)
    stage.clock.now = HOUR_MS
    expect(await stage.find('first')).toBe('found')
    expect(stage.troubles).toEqual([`${JWKS_URL} has no keys`])
  })

  it('are those that make sense, whatever stands beside them', async () => {
    const { idp, find, troubles } = await createStage()
    const { keys } = idp.documents.get(JWKS_URL) as { keys: object[] }
    idp.documents.set(JWKS_URL, { keys: [null, 1, {}, { kty: 'none' }, ...keys, []] })
    expect([await find('first'), troubles]).toEqual(['found', []])
  })

  it('are where the metadata says, also after they have moved', async () => {
    const stage = await createStage({ isNamed: false })
    const { idp } = stage
    const metadata = `${idp.issuer}/.well-known/openid-configuration`
    idp.documents.set(metadata, { issuer: idp.issuer, jwks_uri: JWKS_URL })
    expect(await stage.find('first')).toBe('found')
    expect(idp.fetched).toEqual([metadata, JWKS_URL])
    const moved = 'https://login.example.com/keys/2'
    idp.documents.set(moved, idp.documents.get(JWKS_URL))
    idp.documents.set(metadata, { issuer: idp.issuer, jwks_uri: moved })
    stage.goAway()
    stage.clock.now = HOUR_MS
    expect(await stage.find('first')).toBe('found')
    stage.clock.now += 5_000
    await stage.find('first')
    expect(idp.fetched.slice(-2)).toEqual([metadata, moved])
  })
})

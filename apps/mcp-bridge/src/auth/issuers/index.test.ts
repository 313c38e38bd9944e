import { describe, expect, it } from 'vitest'
import { createIssuerStage, toIssuersInForce, toNamedGrant } from '../../testing/issuer-stage.ts'

describe('a token', () => {
  it('says who asks, what it may, and what functions get to know', async () => {
    const { idp, issuers, claims, now } = await createIssuerStage()
    const about = {
      groups: ['platform'],
      email_verified: true,
      email: 'ada@example.com',
      org: { unit: 7 },
      secret: 'x',
    }
    const verdict = await issuers.verify(await idp.sign(claims({ ...about, scope: 'mcp orders:read' })))
    expect(verdict).toEqual({
      kind: 'principal',
      principal: {
        id: expect.stringMatching(/^jwt:[0-9a-f]{16}:ada$/),
        method: 'jwt',
        grant: { ...toNamedGrant('ops'), name: 'ops+staff', tiers: ['ops', 'staff'] },
        scopes: ['mcp', 'orders:read'],
        issuer: idp.issuer,
        subject: 'ada',
        claims: { email: 'ada@example.com', 'org.unit': 7 },
        expiresAt: now + 330_000,
        asOfNow: expect.any(Function),
      },
    })
  })

  it('without a grant that matches has none', async () => {
    const { idp, issuers, claims } = await createIssuerStage()
    const verdict = await issuers.verify(await idp.sign(claims({ groups: ['sales'], email_verified: 'true' })))
    expect(verdict).toMatchObject({ kind: 'principal', principal: { grant: undefined } })
  })

  it('of a client is of nobody who goes by its name', async () => {
    const { idp, issuers, claims } = await createIssuerStage()
    const client = await issuers.verify(await idp.sign(claims({ sub: undefined, client_id: 'ada' })))
    expect(client).toMatchObject({
      principal: { subject: 'ada', id: expect.stringMatching(/^jwt:[0-9a-f]{16}\/client:ada$/) },
    })
  })

  it('of a user whom it does not name is not of the client that everybody uses', async () => {
    const { idp, issuers, claims } = await createIssuerStage()
    const verdict = await issuers.verify(await idp.sign(claims({ sub: undefined, azp: 'desk', sid: 'Fv3IJTNt' })))
    expect(verdict).toEqual({ kind: 'invalid', why: 'nobody-named' })
  })

  it('that lacks a required scope is told all that are needed', async () => {
    const { idp, issuers, claims } = await createIssuerStage({ require: ['mcp', 'more'] })
    const verdict = await issuers.verify(await idp.sign(claims({ scope: 'mcp' })))
    expect(verdict).toMatchObject({ kind: 'insufficient', scopes: ['mcp', 'more'] })
    expect(await issuers.verify(await idp.sign(claims({ scope: 'more mcp' })))).toMatchObject({ kind: 'principal' })
  })
})

describe('a token that was verified', () => {
  it('is the same principal again, without a look at its signature', async () => {
    const { idp, issuers, claims } = await createIssuerStage()
    const token = await idp.sign(claims())
    await issuers.verify(token)
    const verdict = await issuers.verify(token)
    const again = await issuers.verify(token)
    expect(again.kind === 'principal' && verdict.kind === 'principal' && again.principal === verdict.principal).toBe(
      true,
    )
    expect(issuers.recall(token)).toBe(verdict.kind === 'principal' && verdict.principal)
  })

  it('ends', async () => {
    const stage = await createIssuerStage()
    const { idp, issuers, claims } = stage
    const token = await idp.sign(claims())
    await issuers.verify(token)
    const verdict = await issuers.verify(token)
    stage.now += 331_000
    expect(issuers.recall(token)).toBeUndefined()
    expect(await issuers.verify(token)).toEqual({ kind: 'invalid', why: 'expired' })
    expect(verdict.kind === 'principal' && verdict.principal.asOfNow?.()).toBeUndefined()
  })

  it('is what the settings make of it now', async () => {
    const stage = await createIssuerStage()
    const { idp, issuers, claims } = stage
    const token = await idp.sign(claims({ groups: ['platform'] }))
    await issuers.verify(token)
    const verdict = await issuers.verify(token)
    if (verdict.kind !== 'principal') throw new Error(verdict.kind)
    const { asOfNow } = verdict.principal
    stage.settings = toIssuersInForce(idp.issuer, { grants: [{ when: undefined, grant: 'staff' }] })
    expect(issuers.recall(token)?.grant?.name).toBe('staff')
    expect(asOfNow?.()?.grant?.name).toBe('staff')
    for (const changes of [
      { audience: ['other'] },
      { algorithms: ['RS256'] },
      { type: 'at+jwt' },
      { require: ['x'] },
      { subject: 'groups' },
    ] as const) {
      stage.settings = toIssuersInForce(idp.issuer, changes)
      expect(asOfNow?.()).toBeUndefined()
    }
    stage.settings = { ...stage.settings, issuers: [] }
    expect(asOfNow?.()).toBeUndefined()
    expect(await issuers.verify(token)).toEqual({ kind: 'invalid', why: 'unknown-issuer' })
    stage.settings = toIssuersInForce(idp.issuer)
    expect(asOfNow?.()?.grant?.name).toBe('ops')
  })

  it('is known when its keys have to be read again, and one that lets nobody in is not', async () => {
    const stage = await createIssuerStage({ require: ['mcp'] })
    const { idp, issuers, claims } = stage
    const sign = (changes: object) => idp.sign(claims({ exp: stage.now / 1000 + 7200, scope: 'mcp', ...changes }))
    const token = await sign({})
    const others = [
      `${await sign({ sub: 'eve' })}x`,
      await sign({ scope: 'other' }),
      await sign({ exp: stage.now / 1000 + 60 }),
    ]
    for (const each of [token, ...others]) await issuers.verify(each)
    stage.now += 600_000
    expect([token, ...others].map(issuers.recall)).toEqual([undefined, undefined, undefined, undefined])
    expect([token, ...others].map(issuers.knows)).toEqual([true, false, false, false])
    expect(await issuers.verify(token)).toMatchObject({ kind: 'principal' })
  })

  it('does not outlive its key', async () => {
    const stage = await createIssuerStage()
    const { idp, issuers, claims } = stage
    const token = await idp.sign(claims({ exp: stage.now / 1000 + 7200 }))
    await issuers.verify(token)
    await issuers.verify(token)
    await idp.publish('second')
    stage.now += 600_000
    expect(await issuers.verify(token)).toEqual({ kind: 'invalid', why: 'unknown-key' })
  })
})

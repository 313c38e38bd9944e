import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { toHolder } from '../testing/principals.ts'
import { isFingerprint } from './fingerprint.ts'
import type { SealKey } from './request-state-seal.ts'
import { createKey, mintSessionId, readSessionId } from './session-id.ts'

const key = createKey()
const keys = new Map([[key.id, key]])
const asked = {
  revision: '2025-06-18',
  capabilities: {
    elicitation: { form: {} },
    sampling: {},
    roots: { listChanged: true },
    experimental: { 'iii/structured-content': {} },
  },
  client: { name: 'claude-ai', version: '0.1.0' },
}
const now = Date.UTC(2026, 10, 20)

function read(id: string, with_: ReadonlyMap<number, SealKey> = keys) {
  return readSessionId(id, with_)
}

const by = { key, principal: EVERYBODY, now }

describe('a session id', () => {
  it('says what was agreed on, to whoever has the key', () => {
    const { id, session } = mintSessionId(asked, by)
    expect(session).toMatchObject({ ...asked, mintedAt: now })
    expect(read(id)).toEqual({ kind: 'session', session })
  })

  it('says whose it is where somebody was asked who they are, without saying who', () => {
    const principal = toHolder('nightly-build')
    const { id, session } = mintSessionId(asked, { ...by, principal })
    expect(read(id)).toEqual({ kind: 'session', session })
    expect(session).toMatchObject(asked)
    const { keyId, fingerprint = Buffer.alloc(0) } = session.owner ?? {}
    expect([keyId, isFingerprint(fingerprint, principal, key)]).toEqual([key.id, true])
    expect(isFingerprint(fingerprint, toHolder('other'), key)).toBe(false)
    expect(Buffer.from(id, 'base64url').includes('nightly')).toBe(false)
    expect(mintSessionId(asked, by).session.owner).toBeUndefined()
  })

  it('is short visible ASCII', () => {
    const client = { name: 'n'.repeat(64), version: 'v'.repeat(32) }
    expect(mintSessionId({ ...asked, client }, by).id).toMatch(/^[\x21-\x7e]{1,190}$/)
    expect(mintSessionId(asked, by).id.length).toBeLessThan(80)
  })

  it('may have no client and no capabilities', () => {
    const { id } = mintSessionId({ revision: '2024-11-05', capabilities: {}, client: undefined }, by)
    expect(read(id)).toMatchObject({ session: { revision: '2024-11-05', capabilities: {}, client: undefined } })
  })

  it('differs each time', () => {
    expect(mintSessionId(asked, by).id).not.toBe(mintSessionId(asked, by).id)
  })

  it('names the key that it needs, when that is not there', () => {
    const { id } = mintSessionId(asked, by)
    expect(read(id, new Map())).toEqual({ kind: 'unknown-key', keyId: key.id })
  })

  it('is invalid under another key with the same number', () => {
    const { id } = mintSessionId(asked, by)
    expect(read(id, new Map([[key.id, { id: key.id, secret: createKey().secret }]]))).toEqual({ kind: 'invalid' })
  })

  it('is not minted for a revision without sessions', () => {
    expect(() => mintSessionId({ ...asked, revision: '2026-07-28' }, by)).toThrow(RangeError)
  })

  it('is invalid with any character changed, added or left out', () => {
    const { id } = mintSessionId(asked, by)
    const alphabet = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ ')
    fc.assert(
      fc.property(fc.nat(id.length), fc.nat(1), alphabet, (at, removed, char) => {
        for (const forged of [id.slice(0, at) + char + id.slice(at + removed), id.slice(0, at) + id.slice(at + 1)]) {
          if (forged !== id) expect(read(forged).kind).not.toBe('session')
        }
      }),
    )
  })

  it('is invalid as any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(read(text).kind).not.toBe('session')
      }),
    )
    for (const text of ['', 'x', 'A'.repeat(400), 'A'.repeat(5000)]) expect(read(text).kind).not.toBe('session')
  })
})

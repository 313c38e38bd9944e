import { describe, expect, it } from 'vitest'
import { createDigests } from '../record/digests.ts'
import { createKnownSecrets } from './known-secrets.ts'
import { isWhole, toPayload } from './payload.ts'

const rules = { record: 'redacted', maxBytes: 1024, digests: createDigests('a key') } as const
const CANARY = 'hunter2-canary'

describe('a payload that is kept', () => {
  it('has its secrets taken out, and says where they were', () => {
    const schema = { type: 'object', properties: { pin: { format: 'password' } } }
    const value = { day: 'today', password: CANARY, of: [{ 'api/key': CANARY }], pin: CANARY, note: `Bearer ${CANARY}` }
    const payload = toPayload(value, { ...rules, schema })
    expect(JSON.stringify(payload)).not.toContain(CANARY)
    expect(payload).toMatchObject({
      value: { day: 'today', password: '<secret>' },
      redacted: ['/password', '/of/0/api~1key', '/pin', '/note'],
    })
    expect(isWhole(payload)).toBe(false)
    expect(toPayload({ ...value, password: 'another' }, { ...rules, schema }).digest).not.toBe(payload.digest)
  })

  it('has no secret that any of its schemas names, wherever their references lead', () => {
    const pin = { $ref: '#/$defs/pin' }
    const ofTask = { type: 'object', properties: { pin }, $defs: { pin: { writeOnly: true } } }
    const ofJob = { type: 'object', properties: { key: { format: 'password' } } }
    const payload = toPayload({ pin: CANARY, key: CANARY }, { ...rules, schema: ofJob, otherSchemas: [ofTask] })
    expect(payload).toMatchObject({ value: { pin: '<secret>', key: '<secret>' }, redacted: ['/pin', '/key'] })
  })

  it('is a digest, or nothing, where the function wants that or it is too large', () => {
    expect(toPayload({ a: 1 }, rules)).toMatchObject({ value: { a: 1 }, bytes: 7, digest: expect.any(String) })
    expect(isWhole(toPayload({ a: 1 }, rules))).toBe(true)
    expect(toPayload({ a: 1 }, { ...rules, record: 'none' })).toEqual({ omitted: 'none' })
    const { digest } = toPayload({ a: 1 }, rules)
    expect(toPayload({ a: 1 }, { ...rules, record: 'digest' })).toEqual({ digest, bytes: 7, omitted: 'digest' })
    for (const record of ['none', 'digest'] as const)
      expect(isWhole(toPayload({ a: 1 }, { ...rules, record }))).toBe(false)
    expect(toPayload({ a: 1 }, { ...rules, maxBytes: 6 })).toEqual({ digest, bytes: 7, omitted: 'too_large' })
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    expect(toPayload(nested(100), rules)).toMatchObject({ value: nested(100) })
    expect(toPayload(nested(101), rules)).toMatchObject({ digest: expect.any(String), omitted: 'too_large' })
    expect(toPayload(undefined, rules)).toMatchObject({ value: null, bytes: 4 })
  })

  it('says where secrets were in as much room as a row has, however long the keys are', () => {
    const secrets = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`password${at}`, 'x']))
    const at = (key: string) => toPayload({ [key]: secrets }, { ...rules, maxBytes: 65_536 }).redacted ?? []
    expect(at('short')).toHaveLength(100)
    expect(at('k'.repeat(500)).length).toBeGreaterThan(1)
    expect(Buffer.byteLength(at('k'.repeat(500)).join(''))).toBeLessThanOrEqual(4096)
    expect(at('k'.repeat(5_000))).toEqual([''])
  })

  it('shows no secret in a key', () => {
    const payload = toPayload({ [`Bearer ${CANARY}`]: 1, ok: 2 }, rules)
    expect(JSON.stringify(payload)).not.toContain(CANARY)
    expect(payload.redacted).toEqual(['/Bearer <secret>'])
  })
  it('has nothing of what was taken out of others, kept or not, and says where that was', () => {
    const known = createKnownSecrets()
    toPayload({ password: CANARY }, { ...rules, record: 'none', known })
    const value = { note: `say ${CANARY}`, of: { [CANARY]: 1 }, both: { [CANARY]: 1, '<secret>': 1 } }
    expect(toPayload(value, { ...rules, known })).toMatchObject({
      value: { note: 'say <secret>', of: { '<secret>': 1 }, both: { '<secret>': '<secret>' } },
      redacted: ['/note', '/of/<secret>', '/both'],
    })
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RunsMetadata, readRunsMetadata } from './metadata.ts'

const whole: RunsMetadata = {
  depends_on: ['orders::collect'],
  cache: { ttl_ms: 60_000, version: '3' },
  record: 'digest',
  job: true,
  timeout_ms: 5000,
}
const flat = Object.fromEntries(Object.entries(whole).map(([key, value]) => [`runs.${key}`, value]))

describe('the runs metadata of a function', () => {
  it('is the same in both spellings, the flat one first', () => {
    expect(readRunsMetadata({ runs: whole })).toEqual(whole)
    expect(readRunsMetadata(flat)).toEqual(whole)
    expect(readRunsMetadata({ ...flat, runs: { job: false, record: 'none' } })).toEqual(whole)
  })

  it.each([
    ['depends_on', 'orders::collect'],
    ['depends_on', ['']],
    ['cache', { ttl_ms: 0 }],
    ['cache', { version: '3' }],
    ['cache', true],
    ['job', 'yes'],
    ['job', null],
    ['timeout_ms', 2 ** 31],
  ])('leaves out a malformed %s (%j) and keeps the rest', (field, value) => {
    const { [field as keyof RunsMetadata]: _, ...rest } = whole
    expect(readRunsMetadata({ runs: { ...whole, [field]: value } })).toEqual(rest)
  })

  it.each([['all'], [true], [['redacted']], [{}]])('keeps nothing where record is malformed (%j)', (record) => {
    expect(readRunsMetadata({ runs: { record } })).toEqual({ record: 'none' })
    expect(readRunsMetadata({ 'runs.record': record, runs: { record: 'redacted' } })).toEqual({ record: 'none' })
  })

  it.each([[undefined], [null]])('says nothing of records where record is absent (%j)', (record) => {
    expect(readRunsMetadata({ runs: { record } })).toEqual({})
  })

  it('is read from anything without an error, and not from a prototype', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.record({ runs: fc.anything(), 'runs.cache': fc.anything() })),
        (metadata) => {
          expect(RunsMetadata.safeParse(readRunsMetadata(metadata)).success).toBe(true)
        },
      ),
    )
    expect(readRunsMetadata(Object.create({ runs: whole }))).toEqual({})
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { boundContents, boundMessages, boundRows } from './bound-operations.ts'

const filter = createSecretFilter(['s3cret-canary'])
const bounds = { resultBytes: 4_096 }
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe('what a server has beside tools', () => {
  it('is handed on without secrets', () => {
    const contents = [
      { uri: 'a:1', mimeType: 'text/plain', text: 'a s3cret-canary' },
      { uri: 'a:2', blob: 'AAAA' },
    ]
    expect(boundContents({ contents }, bounds, filter)).toEqual({
      contents: [{ ...contents[0], text: 'a <secret>' }, contents[1]],
    })
    const messages = [{ role: 'assistant', content: { type: 'text', text: 's3cret-canary' } }]
    expect(boundMessages({ description: 'd', messages }, bounds, filter)).toEqual({
      description: 'd',
      messages: [{ role: 'assistant', content: { type: 'text', text: '<secret>' } }],
    })
    expect(boundRows([{ uri: 'a:1' }, 'no row'], bounds, filter)).toEqual({ rows: [{ uri: 'a:1' }] })
  })

  it('keeps head and tail of its texts, and mentions files that are too large', () => {
    const contents = [
      { uri: 'a:1', text: `HEAD${'x'.repeat(9_000)}TAIL` },
      { uri: 'a:2', blob: 'A'.repeat(8_000) },
    ]
    expect(boundContents({ contents }, bounds, filter)).toEqual({
      contents: [
        { uri: 'a:1', text: expect.stringMatching(/^HEADx+\n\[… \d+ bytes are left out here …\]\nx+TAIL$/) },
        { uri: 'a:2', text: expect.stringMatching(/^\[content of 80\d+ bytes is left out: it is too large\]$/) },
      ],
    })
  })

  it('says how many rows do not fit', () => {
    const rows = Array.from({ length: 100 }, (_, at) => ({ uri: `a:${at}`, description: 'd'.repeat(80) }))
    const bounded = boundRows(rows, bounds, filter)
    expect(bounded.rows.length + (bounded.left_out ?? 0)).toBe(100)
    expect(bounded.rows.length).toBeGreaterThan(20)
  })

  it('has at most 256 entries and messages, and a description that is a text and leaves room for them', () => {
    const large = { resultBytes: 100_000 }
    const list = Array.from({ length: 300 }, (_, at) => ({ role: 'user', content: { type: 'text', text: `${at}` } }))
    const contents = boundContents({ contents: list }, large, filter)
    expect([contents['contents'], contents['left_out']]).toEqual([list.slice(0, 256), 44])
    for (const description of ['d'.repeat(25_001), 7, undefined]) {
      const messages = boundMessages({ messages: list, description }, large, filter)
      expect(messages).toEqual({ messages: list.slice(0, 256), left_out: 44 })
    }
  })

  it('is within its bounds whatever it is', () => {
    const json = fc.json().map((text) => JSON.parse(text) as unknown)
    const entry = fc.record(
      {
        uri: fc.string({ maxLength: 3_000 }),
        text: fc.string({ maxLength: 9_000 }),
        blob: fc.base64String({ maxLength: 9_000 }),
        role: json,
        content: json,
      },
      { requiredKeys: [] },
    )
    const list = fc.array(fc.oneof(entry, json), { maxLength: 300 })
    const limit = fc.integer({ min: 1_024, max: 20_000 })
    fc.assert(
      fc.property(list, json, limit, (entries, description, resultBytes) => {
        const all = [
          boundContents({ contents: entries }, { resultBytes }, filter),
          boundMessages({ messages: entries, description }, { resultBytes }, filter),
          boundRows(entries, { resultBytes }, filter),
          boundContents(entries, { resultBytes }, filter),
        ]
        for (const bounded of all) expect(bytes(bounded)).toBeLessThanOrEqual(resultBytes)
      }),
      { numRuns: 60 },
    )
  })
})

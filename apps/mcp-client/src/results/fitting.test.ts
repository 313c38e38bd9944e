import { toJsonBytes } from '@iii/sdk/call-feed'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toBlockPiece } from './content-blocks.ts'
import { CUT_NOTE_BYTES, cutMiddle } from './cut-middle.ts'
import { fitPieces } from './fitting.ts'

const unit = fc.constantFrom('a', 'é', '日', '😀', '"', '\\', '\n', '\u0001', '\u007f')
const text = fc.string({ maxLength: 600, unit, size: 'max' })

describe('a text that is cut', () => {
  it('fits, whatever it is made of, and wastes next to nothing', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: CUT_NOTE_BYTES, max: 1_000 }), (whole, maxBytes) => {
        fc.pre(toJsonBytes(whole) - 2 > maxBytes)
        const cut = cutMiddle(whole, maxBytes)
        const bytes = toJsonBytes(cut) - 2
        expect(bytes).toBeLessThanOrEqual(maxBytes)
        expect(bytes).toBeGreaterThan(maxBytes - CUT_NOTE_BYTES)
        expect(cut.isWellFormed()).toBe(true)
        const [, missing] = /\n\[… (\d+) bytes are left out here …\]\n/.exec(cut) ?? []
        const kept = cut.replace(/\n\[… \d+ bytes are left out here …\]\n/, '')
        expect(Buffer.byteLength(kept) + Number(missing)).toBe(Buffer.byteLength(whole))
      }),
    )
  })
})

describe('pieces of a result', () => {
  it('fit together, and the short ones are whole', () => {
    const block = fc.oneof(
      text.map((content) => ({ type: 'text', text: content })),
      fc.base64String({ maxLength: 900 }).map((data) => ({ type: 'image', data, mimeType: 'image/png' })),
    )
    const blocks = fc.array(block, { maxLength: 20 })
    fc.assert(
      fc.property(blocks, fc.integer({ min: 300, max: 9_000 }), (some, room) => {
        const { values, gone } = fitPieces(some.map(toBlockPiece), room)
        expect(values.reduce((total, value) => total + toJsonBytes(value) + 1, 0)).toBeLessThanOrEqual(room)
        expect(values.length + gone).toBe(some.length)
        const total = some.reduce((bytes, value) => bytes + toJsonBytes(value) + 1, 0)
        if (total * 2 <= room) expect(values).toEqual(some)
      }),
    )
  })

  it('are cut to the same length where they are long', () => {
    const long = (length: number) => toBlockPiece({ type: 'text', text: 'x'.repeat(length) })
    const { values } = fitPieces([long(100), long(50_000), long(90_000)], 10_000)
    const lengths = values.map((value) => String(value['text']).length)
    expect(lengths[0]).toBe(100)
    expect(Math.abs((lengths[1] ?? 0) - (lengths[2] ?? 0))).toBeLessThan(8)
    expect((lengths[1] ?? 0) + (lengths[2] ?? 0)).toBeGreaterThan(9_600)
  })
})

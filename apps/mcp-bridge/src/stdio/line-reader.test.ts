import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLineReader } from './line-reader.ts'

const MAX = 64

function read(chunks: Iterable<Uint8Array>, maxBytes = MAX) {
  const lines: string[] = []
  let most = 0
  const reader = createLineReader({
    maxBytes,
    onLine: (line) => lines.push(line.toString('latin1')),
    onLost: ({ beginning, end }) => lines.push(`lost ${beginning.slice(0, 8)} ${end.slice(-8)}`),
  })
  for (const chunk of chunks) {
    reader.push(chunk)
    most = Math.max(most, reader.retainedBytes)
  }
  return { lines, most }
}

const bytes = (text: string) => Buffer.from(text, 'latin1')

function* cut(whole: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  let at = 0
  for (let turn = 0; at < whole.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    yield whole.subarray(at, at + size)
    at += size
  }
}

/** Bytes in which lines of all lengths around the limit occur. */
const stream = fc
  .array(fc.oneof(fc.uint8Array({ maxLength: 2 * MAX }), fc.constant(bytes('\n')), fc.constant(bytes('\r\n'))), {
    maxLength: 30,
  })
  .map((parts) => Buffer.concat(parts))

describe('a line reader', () => {
  it('gives the same lines for the same bytes, in whatever pieces they come', () => {
    fc.assert(
      fc.property(
        stream,
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 }),
        (whole, sizes) => {
          const { lines } = read([whole])
          expect(read(cut(whole, sizes)).lines).toEqual(lines)
          const parts = whole.toString('latin1').split('\n').slice(0, -1)
          expect(lines.map((line) => !line.startsWith('lost '))).toEqual(
            parts.map((part) => part.length <= MAX && !part.startsWith('lost ')),
          )
        },
      ),
    )
  })

  it('hands out what is between the line ends, and nothing that has no end yet', () => {
    expect(read([bytes('a\n\nb\r\nc')]).lines).toEqual(['a', '', 'b\r'])
    expect(read([bytes('a'), bytes('b'), bytes('\nc'), bytes('\n')]).lines).toEqual(['ab', 'c'])
  })

  it('takes a line of the greatest length and loses one that is a byte longer, but for its edges', () => {
    const [fits, longer] = ['x'.repeat(MAX), `begin${'x'.repeat(MAX)}end`]
    for (const size of [1, 7, 1000]) {
      expect(read(cut(bytes(`${fits}\n${longer}\nnext\n`), [size])).lines).toEqual([
        fits,
        'lost beginxxx xxxxxend',
        'next',
      ])
    }
  })

  it('holds no more than the longest line and 64 KiB, whatever comes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_000_000 }), fc.integer({ min: 1, max: 70_000 }), (length, size) => {
        const maxBytes = 1_000_000
        const { most } = read(cut(Buffer.alloc(length, 120), [size]), maxBytes)
        expect(most).toBeLessThanOrEqual(maxBytes + 64 * 1024)
      }),
      { numRuns: 20 },
    )
  })

  it('holds nothing of a long line any more when it is over', () => {
    const reader = createLineReader({ maxBytes: 4 * 1024 * 1024, onLine: () => undefined, onLost: () => undefined })
    for (const end of ['\n', `${'x'.repeat(2 * 1024 * 1024)}\n`]) {
      reader.push(Buffer.alloc(3 * 1024 * 1024, 120))
      expect(reader.retainedBytes).toBeGreaterThan(2 * 1024)
      reader.push(bytes(end))
      expect(reader.retainedBytes).toBeLessThanOrEqual(16 * 1024)
    }
  })

  it('copies each byte a few times at most, also when they come one by one', () => {
    const copied = (length: number) => {
      const whole = Buffer.alloc(length, 120)
      whole[length - 1] = 10
      let count = 0
      const copy = Buffer.prototype.copy
      Buffer.prototype.copy = function (this: Buffer, ...args: Parameters<Buffer['copy']>) {
        const written = copy.apply(this, args)
        count += written
        return written
      }
      try {
        expect(read(cut(whole, [1]), length).lines).toHaveLength(1)
      } finally {
        Buffer.prototype.copy = copy
      }
      return count
    }
    for (const length of [20_000, 100_000, 500_000]) expect(copied(length)).toBeLessThan(3 * length)
  })
})

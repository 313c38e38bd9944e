import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createFrameLimit } from './frame-limit.ts'

const LIMIT = 16 * 1024 * 1024

/** A frame as a client sends it, its payload left out beyond what is asked for. */
function frame(length: number, masked: boolean, sent = length): Buffer {
  const mask = masked ? 128 : 0
  const head =
    length < 126
      ? Buffer.from([130, mask + length])
      : length < 65_536
        ? Buffer.from([130, mask + 126, length >> 8, length & 255])
        : Buffer.from([130, mask + 127, 0, 0, 0, 0, ...[24, 16, 8, 0].map((bits) => (length >>> bits) & 255)])
  return Buffer.concat([head, Buffer.alloc(masked ? 4 : 0, 1), Buffer.alloc(sent, 255)])
}

describe('createFrameLimit', () => {
  it('lets frames pass up to the limit, however they are cut up', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.oneof(fc.nat(300), fc.integer({ min: 60_000, max: 70_000 })), fc.boolean())),
        fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1 }),
        (frames, cuts) => {
          const exceeded = vi.fn()
          const limit = createFrameLimit(exceeded)
          const bytes = Buffer.concat(frames.map(([length, masked]) => frame(length, masked)))
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = cuts[i % cuts.length] ?? 1
            limit(bytes.subarray(at, at + size))
            at += size
          }
          expect(exceeded).not.toHaveBeenCalled()
          limit(frame(LIMIT, true, 0))
          expect(exceeded).not.toHaveBeenCalled()
        },
      ),
    )
  })

  it.each([true, false])('tells of one that is larger as soon as its head is there (masked: %s)', (masked) => {
    const exceeded = vi.fn()
    const limit = createFrameLimit(exceeded)
    const head = frame(LIMIT + 1, masked, 0)
    for (const byte of head.subarray(0, -1)) limit(Buffer.from([byte]))
    expect(exceeded).not.toHaveBeenCalled()
    limit(head.subarray(-1))
    expect(exceeded).toHaveBeenCalledOnce()
  })
})

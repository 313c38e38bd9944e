import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEventBuffer } from './event-buffer.ts'

describe('the buffer of events', () => {
  it('hands out what came after an event of a track, and nothing of another', () => {
    const buffer = createEventBuffer({ events: 10, bytes: 100 }, () => {})
    for (const [track, seq] of [
      ['a', 1],
      ['b', 1],
      ['a', 2],
      ['a', 3],
    ] as const) {
      buffer.add({ track, seq, frame: `${track}${seq}` })
    }
    expect([buffer.after('a', 1), buffer.after('a', 0), buffer.after('b', 1), buffer.after('c', 0)]).toEqual([
      ['a2', 'a3'],
      ['a1', 'a2', 'a3'],
      [],
      [],
    ])
    buffer.drop('a')
    expect([buffer.after('a', 0), buffer.after('b', 0)]).toEqual([[], ['b1']])
  })

  it('keeps the newest event whatever its size', () => {
    const buffer = createEventBuffer({ events: 10, bytes: 5 }, () => {})
    buffer.add({ track: 'a', seq: 1, frame: 'small' })
    buffer.add({ track: 'a', seq: 2, frame: 'larger than all' })
    expect(buffer.after('a', 0)).toEqual(['larger than all'])
  })

  it('stays within its limits, and accounts for every byte', () => {
    const step = fc.record({ track: fc.constantFrom('a', 'b'), size: fc.nat(40), isDrop: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let bytes = 0
        const buffer = createEventBuffer({ events: 4, bytes: 60 }, (more) => {
          bytes += more
        })
        for (const [seq, { track, size, isDrop }] of steps.entries()) {
          if (isDrop) buffer.drop(track)
          else buffer.add({ track, seq: seq + 1, frame: 'x'.repeat(size) })
          const kept = [...buffer.after('a', 0), ...buffer.after('b', 0)]
          expect(kept.length).toBeLessThanOrEqual(4)
          expect(bytes).toBe(kept.join('').length)
          expect(bytes).toBeLessThanOrEqual(60)
        }
      }),
    )
  })
})

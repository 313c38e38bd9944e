import { describe, expect, it } from 'vitest'
import { createAbsences } from './absence.ts'

function start() {
  let time = 0
  const absences = createAbsences(10_000, () => time)
  return {
    found: () => absences.found('a'),
    missedAt(seconds: number) {
      time = seconds * 1_000
      return absences.isTooLong('a')
    },
  }
}

describe('an absence', () => {
  it('is too long once it was missed again and again for the whole time', () => {
    const { missedAt, found } = start()
    expect([0, 4, 9].map(missedAt)).toEqual([false, false, false])
    expect(missedAt(10)).toBe(true)
    found()
    expect(missedAt(11)).toBe(false)
  })

  it('is another one when nobody asked for as long in between', () => {
    const { missedAt } = start()
    expect([0, 1, 60, 69].map(missedAt)).toEqual([false, false, false, false])
    expect(missedAt(70)).toBe(true)
  })

  it('is too long for whoever asks seldom when it is missed for the third time', () => {
    const { missedAt } = start()
    expect([0, 30, 60, 90].map(missedAt)).toEqual([false, false, true, true])
  })
})

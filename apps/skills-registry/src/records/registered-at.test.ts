import { describe, expect, it } from 'vitest'
import { createStamps } from './registered-at.ts'

describe('registration stamps', () => {
  it('are RFC 3339 in UTC', () => {
    expect(createStamps(() => Date.UTC(2026, 4, 7, 8, 9, 10, 11))()).toBe('2026-05-07T08:09:10.011000Z')
  })

  it('differ within one millisecond', () => {
    const stamp = createStamps(() => 1)
    expect([stamp(), stamp(), stamp()]).toEqual([
      '1970-01-01T00:00:00.001000Z',
      '1970-01-01T00:00:00.001001Z',
      '1970-01-01T00:00:00.001002Z',
    ])
  })

  it('go on when the clock is set back', () => {
    const times = [5, 3, 6]
    const stamp = createStamps(() => times.shift() ?? 0)
    const stamps = [stamp(), stamp(), stamp()]
    expect(stamps).toEqual(stamps.toSorted())
    expect(new Set(stamps).size).toBe(3)
  })

  it('come from the clock of the machine unless told otherwise', () => {
    const before = Date.now()
    expect(Date.parse(createStamps()())).toBeGreaterThanOrEqual(before)
  })
})

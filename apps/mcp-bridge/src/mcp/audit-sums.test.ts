import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAuditSums } from './audit-sums.ts'

describe('what is added up', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is told once in a while, and none of it is lost', () => {
    const told: [string, number][] = []
    const sums = createAuditSums<string>({ everyMs: 100, tell: (what, count) => void told.push([what, count]) })
    for (const what of ['a', 'b', 'a', 'a']) sums.add(what, what)
    vi.advanceTimersByTime(100)
    expect(told).toEqual([
      ['a', 3],
      ['b', 1],
    ])
    vi.advanceTimersByTime(1_000)
    expect(told.length).toBe(2)
    sums.add('c', 'c')
    sums.flush()
    expect(told.at(-1)).toEqual(['c', 1])
  })

  it('takes little memory, however much is told apart', () => {
    let count = 0
    const tell = (_: number, times: number) => {
      count += times
    }
    const sums = createAuditSums<number>({ everyMs: 100, most: 10, tell })
    for (let n = 0; n < 1_000; n++) sums.add(String(n), n)
    expect(count).toBe(990)
    vi.advanceTimersByTime(100)
    expect(count).toBe(1_000)
  })
})

import { describe, expect, it } from 'vitest'
import { createLedger } from './ledger.ts'
import { findMemoryGrowth, type MemorySample } from './memory.ts'
import { findWeekProblems, formatOutcome, type SoakResult } from './weekly-report.ts'

const MINUTE_MS = 60_000

function live(pid: number, minutes: number, toMiB: (minute: number) => number): MemorySample[] {
  return Array.from({ length: minutes + 1 }, (_, minute) => {
    return { name: 'mcp', pid, at: minute * MINUTE_MS, residentMiB: toMiB(minute) }
  })
}

describe('the memory of processes', () => {
  it('is compared from the tenth minute of a process on, whatever it had before', () => {
    const warms = (minute: number) => (minute < 9 ? 50 + minute : 100)
    expect(findMemoryGrowth(live(1, 30, warms))).toEqual([{ name: 'mcp', early: 100, late: 100, minutes: 20 }])
  })

  it('is that of the process which grew most, and of none that was too short', () => {
    const samples = [
      ...live(1, 30, () => 80),
      ...live(2, 30, (minute) => 80 + minute),
      ...live(3, 12, (minute) => minute),
    ]
    expect(findMemoryGrowth(samples)).toEqual([{ name: 'mcp', early: 91, late: 109, minutes: 20 }])
  })
})

describe('the outcome of a soak', () => {
  const ledger = createLedger(() => 0)
  const ended = ledger.open('cut')
  ledger.note({ operation: 'echo', from: 0, to: 0, verdict: { outcome: 'wrong', text: 'no' } })
  ended()
  const good: SoakResult = {
    title: 'A soak',
    pages: createLedger().pages(),
    struck: new Map(),
    growth: [{ name: 'mcp', early: 100, late: 104, minutes: 20 }],
    lost: [],
    left: [],
    heldBack: 0,
  }

  it('is a table, and no problem where nothing is wrong', () => {
    expect(findWeekProblems(good)).toEqual([])
    expect(formatOutcome(good)).toContain('| none | – | 0 | 0 | 0 | 0 | 0 | 0.0 | – |')
    expect(formatOutcome(good)).toContain('| mcp | 100 | 104 | 4.0 % | 20 |')
  })

  it('names all that must not be', () => {
    const bad: SoakResult = {
      ...good,
      pages: ledger.pages(),
      struck: new Map([['cut', { times: 2, slowestMs: 1500, problems: ['cut: nothing works'] }]]),
      growth: [{ name: 'mcp', early: 100, late: 106, minutes: 20 }],
      lost: ['a is not there'],
      left: ['file x'],
    }
    expect(findWeekProblems(bad)).toEqual([
      '1 calls were answered wrongly',
      'acknowledged and lost: a is not there',
      'left over: file x',
      'cut: nothing works',
      'the memory of mcp grew from 100 to 106 MiB',
    ])
    expect(formatOutcome(bad)).toContain('| cut | 2 | 0 | 0 | 0 | 1 | 0 | 0.0 | 1.5 |')
  })
})

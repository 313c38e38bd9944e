import { describe, expect, it } from 'vitest'
import type { GaugeSample } from './gauges.ts'
import { findGrowth, formatSamples } from './judge.ts'

/** @param at what the sample of this number has that is not as always */
function take(count: number, at: (number: number) => Partial<GaugeSample> & { lines?: number; residentMiB?: number }) {
  return Array.from({ length: count }, (_, number): GaugeSample => {
    const { lines = 1, residentMiB = 50, ...rest } = at(number)
    return { workers: 9, sockets: 4, processes: [{ name: 'mcp', lines, residentMiB }], ...rest }
  })
}

describe('what a soak has seen', () => {
  it.each([
    ['nothing that changes', take(30, () => ({})), []],
    [
      'connections of commands that come and go',
      take(30, (at) => ({ sockets: 4 + (at % 2), workers: 9 + (at % 3) })),
      [],
    ],
    ['lines of the beginning', take(30, (at) => ({ lines: Math.min(at, 3) })), []],
    ['memory that is fetched at first', take(60, (at) => ({ residentMiB: 50 + Math.min(at, 20) * 4 })), []],
    ['memory, after few samples', take(9, (at) => ({ residentMiB: 50 + at * 20 })), []],
    ['connections that stay', take(30, (at) => ({ sockets: 4 + at, workers: 9 + at })), ['workers of', 'sockets of']],
    [
      'a line now and then',
      take(30, (at) => ({ lines: at })),
      ['the log of mcp: 0 lines in the beginning, 29 at the end'],
    ],
    [
      'memory that grows',
      take(60, (at) => ({ residentMiB: 50 + at })),
      ['the memory of mcp: 80 MiB half-way, 100 MiB'],
    ],
  ])('%s', (_, samples, growth) => {
    expect(findGrowth(samples)).toEqual(growth.map((text) => expect.stringContaining(text)))
    expect(formatSamples('A soak', samples)).toContain(
      `sockets 4 → ${Math.min(...samples.slice(-10).map(({ sockets }) => sockets ?? 0))}`,
    )
  })
})

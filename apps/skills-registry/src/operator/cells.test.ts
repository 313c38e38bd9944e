import { describe, expect, it } from 'vitest'
import { formatBytes, formatTime } from './cells.ts'

describe('a cell', () => {
  it('shows bytes in units that people read', () => {
    expect([0, 1023, 1024, 2150, 1024 ** 2 * 1.5].map(formatBytes)).toEqual([
      '0 B',
      '1023 B',
      '1.0 KiB',
      '2.1 KiB',
      '1.5 MiB',
    ])
  })

  it('shows times to the minute, and what is no time as it is', () => {
    expect([formatTime('2026-11-21T09:30:12.345Z'), formatTime('yesterday')]).toEqual(['2026-11-21 09:30', 'yesterday'])
  })
})

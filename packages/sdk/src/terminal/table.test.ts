import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutColumns, toColumns } from './shown.ts'
import { formatTable } from './table.ts'

describe('a table', () => {
  it('has columns below their titles, whatever they are written in', () => {
    const columns = [{ title: 'A' }, { title: 'N', right: true }, { title: 'LAST' }]
    const rows = [
      ['日本', '1', 'x'],
      ['é', '10', ''],
    ]
    expect(formatTable(columns, rows)).toBe('A      N  LAST\n日本   1  x\né     10\n')
  })

  it('is never wider than the terminal', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 30 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { maxLength: 4 }),
        fc.integer({ min: 2, max: 60 }),
        (rows, width) => {
          const columns = [{ title: 'A' }, { title: 'B' }, { title: 'C' }]
          const lines = formatTable(columns, rows, width).split('\n')
          expect(lines).toHaveLength(rows.length + 2)
          for (const line of lines) expect(toColumns(line)).toBeLessThanOrEqual(width)
        },
      ),
    )
  })

  it('cuts a text with the mark inside', () => {
    expect([cutColumns('abc', 3), cutColumns('abcd', 3), cutColumns('日本語', 4)]).toEqual(['abc', 'ab…', '日…'])
  })

  it('takes as long for a text as it is long', async () => {
    const family = '👩‍👩‍👧'
    const toText = (count: number) => `é${family}`.repeat(count)
    const look = (text: string) => [toColumns(text), cutColumns(text, 6)]
    expect(look(toText(50))).toEqual([150, `é${family}é…`])
    await expect(look).toTakeLinearTime(toText, 50_000)
  })
})

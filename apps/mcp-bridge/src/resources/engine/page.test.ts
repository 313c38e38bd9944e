import { utf8Length } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFilling, createPage, formatItem } from './page.ts'

describe('a page', () => {
  it('is an array with an element a line', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), (rows) => {
        const text = createPage(rows).text()
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(rows)))
        expect(text.split('\n')).toHaveLength(rows.length === 0 ? 1 : rows.length + 2)
      }),
    )
  })

  it('leaves out what does not fit, and says how much', () => {
    const rows = [{ id: 'a' }, { id: 'long'.repeat(100) }, { id: 'b' }, { id: 'c' }]
    expect(JSON.parse(createPage(rows, 30).text())).toEqual([{ id: 'a' }, { id: 'b' }, { left_out: 2 }])
    expect(JSON.parse(createPage(rows, 1).text())).toEqual([{ left_out: 4 }])
  })

  it('that is filled item by item needs no more of them when it is full', () => {
    const filling = createFilling(1_000)
    let count = 0
    for (; !filling.isFull; count++) filling.add(formatItem({ id: `f${count}` }))
    expect(JSON.parse(filling.text(100 - count)).at(-1)).toEqual({ left_out: 100 - (count - 1) })
    const wide = createFilling(1_000)
    for (const size of [500, 900, 400]) wide.add(formatItem({ id: 'x'.repeat(size) }))
    expect([wide.isFull, JSON.parse(wide.text()).length]).toEqual([false, 3])
  })

  it('is never larger than it may be, but for the line that says so', () => {
    const anyRows = fc.array(fc.record({ text: fc.string({ unit: 'grapheme' }) }), { maxLength: 30 })
    fc.assert(
      fc.property(anyRows, fc.nat(600), (rows, maxBytes) => {
        const text = createPage(rows, maxBytes).text()
        expect(utf8Length(text)).toBeLessThanOrEqual(maxBytes + 40)
        const shown = (JSON.parse(text) as object[]).filter((row) => 'text' in row)
        const left = (JSON.parse(text) as { left_out?: number }[]).at(-1)?.left_out ?? 0
        expect(shown.length + left).toBe(rows.length)
      }),
    )
  })

  it('shows an item as the item itself is read', () => {
    expect(formatItem({ id: 'a', config: {} })).toBe('{"id":"a","config":{}}')
  })
})

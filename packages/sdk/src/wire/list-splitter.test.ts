import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createListSplitter, type ListElement } from './list-splitter.ts'

/** Splits a text that comes in pieces of these sizes, over and over. */
function splitIn(text: string, sizes: readonly number[], maxBytes = 1_000_000): ListElement[] {
  const splitter = createListSplitter(maxBytes)
  const bytes = Buffer.from(text)
  const elements: ListElement[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    elements.push(...splitter.split(bytes.subarray(at, at + size)))
    at += size
  }
  return elements
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
const odd = fc.constantFrom('"', '\\', '\\"', '],[', '{', ',', '"result":[1]', 'é', '')

describe('elements of a list', () => {
  it('are found whatever they hold and in whatever pieces they come', () => {
    const element = fc.oneof(fc.jsonValue(), odd, fc.array(odd), fc.dictionary(odd, odd))
    fc.assert(
      fc.property(fc.array(element), sizes, (result, pieces) => {
        const text = JSON.stringify({ type: 'invocationresult', invocation_id: '1', result })
        const found = splitIn(text, pieces)
        expect(found.map((one) => JSON.parse(one.text))).toEqual(JSON.parse(JSON.stringify(result)))
        expect(found.every(({ isWhole }) => isWhole)).toBe(true)
      }),
    )
  })

  it('are cut where they are long, and the others are not', () => {
    const rows = [{ handle: 'a', text: 'x'.repeat(500) }, { handle: 'b' }]
    const found = splitIn(JSON.stringify({ result: rows }), [7], 50)
    expect(found).toEqual([
      { text: JSON.stringify(rows[0]).slice(0, 50), isWhole: false },
      { text: '{"handle":"b"}', isWhole: true },
    ])
  })

  it('are none where there is no list, or an empty one, which is told apart', () => {
    for (const [text, hasList] of [
      ['{"result":[]}', true],
      ['{"result":{"rows":[1]},"a":"[1,2]"}', false],
    ] as const) {
      const splitter = createListSplitter(100)
      expect([splitter.split(Buffer.from(text)), splitter.hasList]).toEqual([[], hasList])
    }
  })
})

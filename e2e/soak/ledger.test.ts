import { expect, it } from 'vitest'
import { CALM, createLedger } from './ledger.ts'

it('a call counts for the fault that there was while it ran, else for none', () => {
  let now = 0
  const ledger = createLedger(() => now)
  const note = (from: number, to: number, outcome: 'right' | 'refused' | 'wrong', isExcused = false) =>
    ledger.note({ operation: 'echo', from, to, isExcused, verdict: { outcome, text: `because of ${from}` } })
  note(0, 1, 'right')
  note(0, 2, 'refused')
  note(1, 3, 'refused')
  note(1, 3, 'refused', true)
  now = 10
  const close = ledger.open('cut')
  note(9, 10, 'refused')
  note(12, 13, 'wrong')
  now = 20
  close()
  note(19, 30, 'right')
  note(21, 22, 'right')
  const counts = ledger
    .pages()
    .map(({ name, counts: of, slowestMs }) => [name, of.right, of.refused, of.wrong, slowestMs])
  expect(counts).toEqual([
    [CALM, 2, 3, 0, 2],
    ['cut', 1, 1, 1, 11],
  ])
  expect([...ledger.complaints()]).toEqual([
    ['refused, nothing, echo: because of #', 2],
    ['wrong, cut, echo: because of 12', 1],
  ])
})

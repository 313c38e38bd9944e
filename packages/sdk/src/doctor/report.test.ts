import { expect, it } from 'vitest'
import { formatResults } from './report.ts'

it('breaks what it says, and keeps a command in one piece, so that it can be copied', () => {
  const command = "iii-orders --url ws://127.0.0.1:49134 --config '/home/ada/my files/orders.yaml'"
  const advice = [`start it where its settings are, and look again: ${command}`, 'or look again: iii-orders list']
  const text = formatResults([{ check: 'worker', verdict: 'problem', summary: 'it is not there', advice }], 60)
  expect(text.split('\n')).toEqual([
    'problem  worker         it is not there',
    '                        → start it where its settings are,',
    '                          and look again:',
    `                          ${command}`,
    '                        → or look again: iii-orders list',
    '',
    '1 problem',
    '',
  ])
})

import { toToolResult } from '@iii/protocol'
import { expect, it } from 'vitest'
import { toBrief } from './brief-text.ts'

const reader = { capabilities: { experimental: { 'iii/structured-content': {} } } }
const order = { id: 'a-1', customer: 'Ada', status: 'cancelled', total: 250 }
const brief = [{ type: 'text', text: 'The result is in structuredContent.' }]
const long = 'x'.repeat(100)

it.each([
  ['JSON', toToolResult(order)],
  [
    'JSON with spaces',
    toToolResult({ content: [{ type: 'text', text: JSON.stringify(order, null, 2) }], structuredContent: order }),
  ],
  ['a text that a schema calls a result', toToolResult(long, { hasOutputSchema: true })],
  ['a list that a schema calls a result', toToolResult([order], { hasOutputSchema: true })],
])('a text that says the data again, %s, is one line for a client that reads the data', (_, result) => {
  expect(toBrief(result, reader)).toEqual({ ...result, content: brief })
  for (const experimental of [undefined, true, {}, { 'iii/structured-content': true }]) {
    expect(toBrief(result, { capabilities: { experimental } })).toBe(result)
  }
})

it.each([
  ['is short', toToolResult({ ok: true })],
  ['says something else', toToolResult({ content: [{ type: 'text', text: long }], structuredContent: order })],
  ['has no data', toToolResult(JSON.stringify(order))],
  [
    'stands beside others',
    toToolResult({
      content: toToolResult([order]).content.concat(toToolResult(long).content),
      structuredContent: order,
    }),
  ],
  ['is of a failure', toToolResult({ ...toToolResult(order), isError: true })],
])('a text stays that %s', (_, result) => {
  expect(toBrief(result, reader)).toBe(result)
})

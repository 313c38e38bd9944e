import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { askPerson } from './question.ts'

it.each([
  ['y\r', 'y', ''],
  ['\u0003', '', '\n'],
  ['\u0004', '', '\n'],
])('takes %j as %j', async (keys, answer, end) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const asked = askPerson('Sure? ', input, output)
  input.write(keys)
  expect(await asked).toBe(answer)
  expect(String(output.read()).endsWith(end)).toBe(true)
})

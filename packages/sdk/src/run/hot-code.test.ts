import { expect, it } from 'vitest'
import { optimizeSooner } from './hot-code.ts'

it.each([
  ['', ['--interrupt-budget=20000']],
  ['--max-semi-space-size=16', ['--interrupt-budget=20000']],
  ['--interrupt-budget=90000', []],
  ['--inspect --interrupt_budget=90000', []],
])('with %j V8 is told %j', (given, told) => {
  const flags: string[] = []
  optimizeSooner(given, (flag) => flags.push(flag))
  expect(flags).toEqual(told)
})

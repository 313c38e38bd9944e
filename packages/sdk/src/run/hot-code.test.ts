import { expect, it } from 'vitest'
import { optimizeSooner } from './hot-code.ts'

it.each([
  ['20.19.0', '', ['--interrupt-budget=20000']],
  ['20.20.2', '--max-semi-space-size=16', ['--interrupt-budget=20000']],
  ['20.19.0', '--interrupt-budget=90000', []],
  ['20.19.0', '--inspect --interrupt_budget=90000', []],
  // V8 would say on stderr that it knows no such flag.
  ['22.12.0', '', []],
  ['25.0.0', '', []],
])('V8 of Node %s, started with %j, is told %j', (version, given, told) => {
  const flags: string[] = []
  optimizeSooner({ version, given }, (flag) => flags.push(flag))
  expect(flags).toEqual(told)
})

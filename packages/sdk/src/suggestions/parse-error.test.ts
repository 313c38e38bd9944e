import { parseArgs } from 'node:util'
import { expect, it } from 'vitest'
import { explainParseError } from './parse-error.ts'

const OPTIONS = {
  out: { type: 'string' },
  'no-start': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

it.each([
  [['--ot', 'x'], 'unknown option --ot; did you mean --out?'],
  [['--zzzzzzz=5'], 'unknown option --zzzzzzz'],
  [['-x'], 'unknown option -x'],
  [['--out'], '--out needs a value'],
  [['--out', '-3'], "--out needs a value; one that begins with '-' is written --out=-…"],
  [['--no-start=true'], '--no-start takes no value'],
  [['--help=yes'], '--help takes no value'],
  [['tea'], "'tea' is too much"],
])('says what is wrong with %j', (args, says) => {
  let problem: string | undefined
  try {
    parseArgs({ args, options: OPTIONS })
  } catch (error) {
    problem = explainParseError(error, OPTIONS)
  }
  expect(problem).toBe(says)
})

it('leaves other errors to others', () => {
  expect(explainParseError(new TypeError('x is not a function'), OPTIONS)).toBeUndefined()
  expect(explainParseError(Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' }), OPTIONS)).toBe(
    undefined,
  )
})

import { checkFunctionId, checkSkillId, formatToolName, parseToolName } from '@iii/protocol'
import { expect, it } from 'vitest'
import { explainName } from './name.ts'

it.each(['hello', 'tea', 'tea-house', 'tea_2', 'a', 'a'.repeat(40)])(
  'takes %s, which is good for all that is called so',
  (name) => {
    expect(explainName(name)).toBeUndefined()
    expect([checkSkillId(name), checkFunctionId(`${name}::greet`)]).toEqual([undefined, undefined])
    expect(parseToolName(formatToolName(`${name}::greet`))).toBe(`${name}::greet`)
  },
)

it.each([
  ['', 'lower-case'],
  ['Tea', 'lower-case'],
  ['tea house', 'lower-case'],
  ['../tea', 'lower-case'],
  ['.', 'lower-case'],
  ['2tea', 'letter first'],
  ['tea-', 'lower-case'],
  ['tea__house', 'single hyphens or underscores between words'],
  ['state', 'belongs to the engine'],
  ['mcp', 'belongs to the engine'],
  ['iii-tea', 'belongs to the engine'],
  ['functions', 'reserved'],
  ['zod', 'a package that the project needs'],
  ['true', 'YAML'],
  ['false', 'YAML'],
  ['null', 'YAML'],
  ['node_modules', 'npm'],
  ['a'.repeat(41), '41 characters, and may have 40'],
])('refuses %j and says why', (name, words) => {
  expect(explainName(name)).toContain(words)
})

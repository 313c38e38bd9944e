import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { combineOptions, explainConflict, type Given, type OptionRules } from './given.ts'

interface Options {
  strict: boolean
  open: boolean
  scope: string
}

const rules: OptionRules<Options> = {
  options: {
    strict: { flag: '--strict', env: 'STRICT', yaml: 'strict', schema: z.boolean(), default: false, describe: '' },
    open: { flag: '--open', yaml: 'rules.open', schema: z.boolean(), default: true, describe: '' },
    scope: { yaml: 'scope', schema: z.string(), default: 'a', describe: '' },
  },
  findConflict: ({ strict, open }) =>
    strict && open ? { options: ['strict', 'open'], reason: 'cannot both be on' } : undefined,
}

const flag = (name: string, value: unknown): Given => ({ value, from: 'flag', name })
const inFile = (name: string, value: unknown, line: number): Given => ({ value, from: 'file', name, line })

function judge(given: Record<string, Given>): string | undefined {
  const places = new Map(Object.entries(given))
  const { conflict } = combineOptions(rules, places)
  return conflict && explainConflict(conflict, rules, places)
}

describe('options together', () => {
  it('are what was given, and the defaults', () => {
    const { value, conflict } = combineOptions(rules, new Map([['open', flag('--no-open', false)]]))
    expect([value, conflict]).toEqual([{ strict: false, open: false, scope: 'a' }, undefined])
    expect(Object.isFrozen(value)).toBe(true)
  })

  it.each<[Record<string, Given>, string | undefined]>([
    [{}, undefined],
    [{ strict: flag('--strict', true), open: inFile('rules.open', false, 4) }, undefined],
    [{ strict: flag('--strict', true), open: flag('--open', true) }, '--strict and --open cannot both be on'],
    [
      { strict: { value: true, from: 'environment', name: 'STRICT' }, open: flag('--open', true) },
      'STRICT (environment) and --open cannot both be on',
    ],
    [
      { strict: inFile('strict', true, 2), open: inFile('rules.open', true, 9) },
      'line 2: strict and rules.open (line 9) cannot both be on',
    ],
    [
      { strict: inFile('strict', true, 12), open: inFile('rules.open', true, 9) },
      'line 9: strict (line 12) and rules.open cannot both be on',
    ],
    [
      { strict: flag('--strict', true), open: inFile('rules.open', true, 4) },
      'line 4: --strict (flag) and rules.open cannot both be on',
    ],
    [{ strict: inFile('strict', true, 2) }, 'line 2: strict and rules.open (default) cannot both be on'],
    [{ strict: flag('--strict', true) }, '--strict and rules.open (default) cannot both be on'],
  ])('%j: %j', (given, problem) => {
    expect(judge(given)).toBe(problem)
  })
})

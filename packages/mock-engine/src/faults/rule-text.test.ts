import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CATALOG, formatFaultHelp } from './catalog.ts'
import type { FaultRule } from './rule.ts'
import { checkRule, FaultRuleError, formatRule, readRule } from './rule-text.ts'

const ms = fc.nat(1_000_000)
const wait = fc.oneof(
  ms,
  fc.tuple(ms, ms).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
)
const glob = fc.string({ minLength: 1 })
const limits = {
  chance: fc.nat(1000).map((n) => n / 1000),
  times: fc.integer({ min: 1, max: 1000 }),
  skip: fc.nat(1000),
}
const calls = { function: glob, worker: glob, ...limits }

/** Any right rule, with any of its fields. */
const anyRule = fc.oneof(
  rule('lose-early-result', { ...calls, withinMs: ms }),
  rule('lose-result', calls),
  rule('delay-call', calls, { ms: wait }),
  rule('delay-result', calls, { ms: wait }),
  rule('fail-call', { ...calls, code: fc.string(), message: fc.string() }),
  rule(
    'drop-connection',
    { ...calls, how: fc.constantFrom('cut', 'close') },
    { when: fc.constantFrom('call', 'result') },
  ),
  rule('stop-reading', { worker: glob, ...limits, ms }),
  rule('reorder', { ...calls, windowMs: fc.integer({ min: 1, max: 1000 }) }),
  rule('refuse-http', { ms }),
  rule('slow-http', { function: glob, ...limits }, { ms: wait }),
  rule(
    'restart',
    { state: fc.constantFrom('keep', 'lose'), downMs: ms },
    { everyMs: fc.integer({ min: 1, max: 1_000_000 }) },
  ),
)

function rule(
  fault: string,
  maybe: Record<string, fc.Arbitrary<unknown>>,
  always: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<FaultRule> {
  const fields = fc.tuple(fc.record(always), fc.record(maybe, { requiredKeys: [] }))
  return fields.map(([needed, others]) => ({ fault, ...needed, ...others }) as unknown as FaultRule)
}

describe('a rule', () => {
  it('is taken as it is, and survives the way through the command line', () => {
    fc.assert(
      fc.property(anyRule, (given) => {
        const checked = checkRule(given)
        expect(checked).toEqual(given)
        expect(readRule(formatRule(checked))).toEqual(checked)
      }),
    )
  })

  it('says the same however its fields are ordered', () => {
    expect(formatRule(checkRule({ times: 2, worker: 'a', fault: 'lose-result', function: 'b::*' }))).toBe(
      'lose-result function=b::* worker=a times=2',
    )
  })

  it('may leave a field undefined', () => {
    expect(checkRule({ fault: 'lose-result', times: undefined })).toEqual({ fault: 'lose-result' })
  })

  it.each<[unknown, string]>([
    [undefined, 'a rule needs a fault: one of lose-early-result, lose-result'],
    [{ times: 1 }, 'a rule needs a fault'],
    [{ fault: 'lose-results' }, "there is no fault 'lose-results'; did you mean 'lose-result'?"],
    [{ fault: 'constructor' }, "there is no fault 'constructor': it is one of lose-early-result"],
    [{ fault: 'lose-result', time: 1 }, "lose-result has no 'time'; did you mean 'times'?"],
    [{ fault: 'refuse-http', chance: 1 }, "refuse-http has no 'chance': it is one of ms"],
    [{ fault: 'lose-result', chance: 2 }, 'lose-result: chance takes a number from 0 to 1, not 2'],
    [{ fault: 'lose-result', chance: '1' }, 'chance takes a number from 0 to 1, not "1"'],
    [{ fault: 'lose-result', times: 0 }, 'times takes a whole number from 1, not 0'],
    [{ fault: 'lose-result', skip: 0.5 }, 'skip takes a whole number from 0'],
    [{ fault: 'lose-result', function: '' }, 'function takes a name, in which * stands for any characters, not ""'],
    [{ fault: 'delay-call' }, 'delay-call needs ms: milliseconds, or a range of them'],
    [
      { fault: 'delay-call', ms: [5, 1] },
      'ms takes milliseconds, or a range of them (10..50, in code [10, 50]), not [5,1]',
    ],
    [{ fault: 'delay-call', ms: -1 }, 'not -1'],
    [{ fault: 'delay-call', ms: 2 ** 31 }, 'not 2147483648'],
    [{ fault: 'drop-connection', how: 'kill' }, "how takes 'cut' or 'close', not \"kill\""],
    [{ fault: 'drop-connection', function: 'a' }, "when 'now' is about no function"],
    [{ fault: 'drop-connection', when: 'connect', worker: 'a' }, 'a worker that connects has no name yet'],
    [{ fault: 'restart', everyMs: 0 }, 'everyMs takes milliseconds, at least 1, not 0'],
  ])('such as %j is refused with what would be right', (given, text) => {
    expect(() => checkRule(given)).toThrow(FaultRuleError)
    expect(() => checkRule(given)).toThrow(text)
  })

  it.each([
    ['', 'a rule needs a fault'],
    ['lose-result functon=a', "lose-result has no 'functon'; did you mean 'function'?"],
    ['lose-result times', 'lose-result: times is written times=N'],
    ['lose-result times=two', 'times takes a whole number from 1, not "two"'],
    ['delay-call ms=50..10', 'ms takes milliseconds, or a range of them'],
    ['fail-call message="half', 'is no text in quotes'],
  ])('written as %j is refused with what would be right', (text, reason) => {
    expect(() => readRule(text)).toThrow(FaultRuleError)
    expect(() => readRule(text)).toThrow(reason)
  })

  it('written with quotes may have spaces', () => {
    expect(readRule('  fail-call  function=state::*\tmessage="the disk is \\"full\\"" ')).toEqual({
      fault: 'fail-call',
      function: 'state::*',
      message: 'the disk is "full"',
    })
  })

  it('is in the help and in the README, whatever its fault', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
    for (const [fault, { fields }] of Object.entries(CATALOG)) {
      expect(formatFaultHelp()).toMatch(new RegExp(`^  ${fault} +\\S`, 'm'))
      const row = readme.split('\n').find((line) => line.startsWith(`| \`${fault}\``)) ?? ''
      const own = Object.keys(fields).filter(
        (name) => !['function', 'worker', 'chance', 'times', 'skip'].includes(name),
      )
      expect(own.filter((name) => !row.includes(`\`${name}\``))).toEqual([])
      expect(row).not.toBe('')
    }
  })
})

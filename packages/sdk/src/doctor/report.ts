import { formatCount } from '../terminal/count.ts'
import { type Paint, PLAIN } from '../terminal/paint.ts'
import { toShown } from '../terminal/shown.ts'
import { wrap } from '../terminal/wrap.ts'
import type { CheckVerdict, Result } from './check.ts'

const DEFAULT_WIDTH = 80
const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red', skipped: 'dim' } as const
const VERDICT_WIDTH = 9
const MIN_NAME_WIDTH = 15
const GAP = 2

/** A line for each check, what to do below it, and the sum. */
export function formatResults(results: readonly Result[], width = DEFAULT_WIDTH, paint: Paint = PLAIN): string {
  const nameWidth = results.reduce((most, { check }) => Math.max(most, check.length + GAP), MIN_NAME_WIDTH)
  const room = Math.max(30, width - VERDICT_WIDTH - nameWidth)
  const indent = ' '.repeat(VERDICT_WIDTH + nameWidth)
  const lines = results.flatMap(({ check, verdict, summary, details = [], advice }) => {
    const [head = '', ...rest] = wrap(toShown(summary), room)
    const hang = (sign: string) => (text: string) => {
      const [first = '', ...more] = wrapAdvice(toShown(text), room - 2)
      return [`${sign} ${first}`, ...more.map((line) => `  ${line}`)]
    }
    const orders = [...details.flatMap(hang('-')), ...advice.flatMap(hang('→'))]
    const title = paint(COLOURS[verdict], verdict.padEnd(VERDICT_WIDTH)) + check.padEnd(nameWidth)
    return [title + head, ...[...rest, ...orders].map((line) => indent + line)]
  })
  return `${[...lines, '', summarise(results)].join('\n')}\n`
}

/** A command that does not fit stays in one piece, so that it can be copied. */
function wrapAdvice(text: string, width: number): string[] {
  const [, words = text, command] = /^(.*:) ((?:npx -y @iii\/|iii-)\S* .*)$/.exec(text) ?? []
  return text.length <= width || command === undefined ? wrap(text, width) : [...wrap(words, width), command]
}

function summarise(results: readonly Result[]): string {
  const count = (verdict: CheckVerdict) => results.filter((result) => result.verdict === verdict).length
  const parts = [toCount(count('problem'), 'problem'), toCount(count('warning'), 'warning')].filter(
    (part) => part !== '',
  )
  return parts.length === 0 ? 'everything is well' : parts.join(', ')
}

function toCount(count: number, what: string): string {
  return count === 0 ? '' : formatCount(count, what)
}

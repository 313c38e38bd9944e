import { isRecord } from '@iii/protocol'
import { REDACTED, redact } from '@iii/protocol/redaction'

const MAX_BYTES = 16 * 1024
/** What stands here is for the server alone: names are shown, and no values. */
const SECRET_GROUPS = ['env', 'headers', 'http_headers']

/**
 * How an entry differs from ours, a key on each line: `- ` has what stands there, `+ ` what would, and two blanks what is in both. Secrets
 * are not shown.
 */
export function formatDifference(theirs: unknown, ours: object | undefined): string[] {
  const [before, after] = [toLines(theirs), toLines(ours)]
  const isIn = (lines: readonly Line[], { full }: Line) => lines.some((line) => line.full === full)
  const left = before.map((line) => `${isIn(after, line) ? ' ' : '-'} ${line.shown}`)
  return [...left, ...after.filter((line) => !isIn(before, line)).map(({ shown }) => `+ ${shown}`)]
}

interface Line {
  readonly full: string
  readonly shown: string
}

function toLines(entry: unknown): Line[] {
  if (entry === undefined) return []
  if (!isRecord(entry)) return [{ full: JSON.stringify(entry), shown: format(hide('', entry)) }]
  return Object.entries(entry).map(([key, value]) => ({
    full: JSON.stringify([key, value]),
    shown: `${JSON.stringify(key)}: ${format(hide(key, value))}`,
  }))
}

/** Some clients have them deeper in the entry. */
function hide(key: string, value: unknown): unknown {
  const hideBelow = SECRET_GROUPS.includes(key) ? () => REDACTED : hide
  if (Array.isArray(value)) return value.map((each: unknown) => hideBelow('', each))
  if (!isRecord(value)) return SECRET_GROUPS.includes(key) ? REDACTED : value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hideBelow(name, each)]))
}

function format(value: unknown): string {
  return JSON.stringify(redact(value, { maxBytes: MAX_BYTES })?.value ?? REDACTED)
}

import { cutColumns, toColumns, toShown } from './shown.ts'

export interface Column {
  title: string
  /** Numbers stand below each other by their ends. */
  right?: boolean
}

const GAP = '  '

/**
 * Lays rows out below their titles, each line ending in a newline. The last column takes what is left.
 *
 * @param width of the terminal: longer lines are cut, and of the columns before the last none gets more than half of it.
 *   undefined for no limit.
 */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[], width?: number): string {
  const limit = width === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(width / 2))
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => row.map(toShown))]
  const widths = columns.map((_, at) =>
    lines.reduce((most, line) => Math.max(most, Math.min(limit, toColumns(line[at] ?? ''))), 0),
  )
  const formatLine = (line: readonly string[]) => {
    const cells = columns.map(({ right = false }, at) => {
      const isLast = at === columns.length - 1
      return isLast ? (line[at] ?? '') : pad(cutColumns(line[at] ?? '', limit), widths[at] ?? 0, right)
    })
    const text = cells.join(GAP).trimEnd()
    return `${width === undefined ? text : cutColumns(text, width)}\n`
  }
  return lines.map(formatLine).join('')
}

function pad(text: string, width: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, width - toColumns(text)))
  return right ? space + text : text + space
}

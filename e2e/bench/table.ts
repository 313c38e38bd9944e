import type { BenchFigures } from './measure.ts'

/**
 * Lays figures out for a terminal. The column *floor* says how many times its floor a call takes. Where processor time is known, it
 * says which part of its floor's calls a subject reaches, how many times its floor's processor time a call takes, and how much memory
 * the process has.
 */
export function formatFigures(title: string, figures: readonly BenchFigures[]): string {
  const hasCpu = figures.some(({ cpuMs }) => cpuMs !== undefined)
  const hasLost = figures.some(({ lost }) => lost > 0)
  const rows = figures.map((row) => [
    ...toTimes(row),
    ...(hasLost ? [String(row.lost)] : []),
    ...(hasCpu ? toParts(row) : [toFactor(row)]),
  ])
  const head = ['', 'in flight', 'per second', 'p50 ms', 'p99 ms', ...(hasLost ? ['lost'] : [])]
  return layOut(title, [[...head, ...(hasCpu ? ['cpu ms', 'of floor', 'cpu', 'MB'] : ['floor'])], ...rows])
}

/** Rows in columns, the first aligned to the left. */
export function layOut(title: string, rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? []
  const lines = rows.map((cells) => {
    return cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
  })
  return `\n${title}\n${lines.join('\n')}\n`
}

function toTimes({ name, inFlight, perSecond, medianMs, slowestMs }: BenchFigures): string[] {
  return [name, String(inFlight), perSecond.toFixed(0), medianMs.toFixed(2), slowestMs.toFixed(2)]
}

function toFactor({ ofFloor }: BenchFigures): string {
  return `${(1 / (ofFloor?.perSecond ?? 1)).toFixed(1)} ×`
}

function toParts({ cpuMs, residentMb, ofFloor }: BenchFigures): string[] {
  const cost = ofFloor?.cpu === undefined ? '–' : `${ofFloor.cpu.toFixed(1)} ×`
  return [cpuMs?.toFixed(3) ?? '–', (ofFloor?.perSecond ?? 1).toFixed(2), cost, residentMb?.toFixed(0) ?? '–']
}

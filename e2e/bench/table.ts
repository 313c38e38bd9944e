import type { Figures } from './measure.ts'

/** Lays figures out for a terminal. The last column says how many times the floor (the first row) a call takes. */
export function formatTable(title: string, figures: readonly Figures[]): string {
  const [floor] = figures
  const rows = figures.map((row) => [
    row.name,
    String(row.inFlight),
    row.perSecond.toFixed(0),
    row.medianMs.toFixed(2),
    row.slowestMs.toFixed(2),
    `${((floor?.perSecond ?? 0) / row.perSecond).toFixed(1)} ×`,
  ])
  const table = [['', 'in flight', 'per second', 'p50 ms', 'p99 ms', 'floor'], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0))) ?? []
  const lines = table.map((cells) => {
    return cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
  })
  return `\n${title}\n${lines.join('\n')}\n`
}

import { compareText } from '@iii/protocol'
import { isRunId } from '../record/run-id.ts'
import { RunSummary } from '../record/run-record.ts'
import { createNumberingRow, type Numbering } from './numbering.ts'
import type { Rows } from './rows.ts'

const SUMMARIES_PER_ROW = 50

/** The summaries of all runs, fifty in a row, in the order in which the runs began. */
export interface RunIndex {
  head(): Promise<Numbering>
  /** Adds a run that begins. @returns the number of its row */
  add(summary: RunSummary): Promise<number>
  /** Writes the summary of a run that is there; one that was removed meanwhile comes back. */
  update(row: number, summary: RunSummary): Promise<void>
  /** Counts what a run has added to the details. */
  count(bytes: number): Promise<Numbering>
  /** The summaries of a row, the newest first. What cannot be read is left out. */
  read(row: number): Promise<RunSummary[]>
  remove(row: number, runIds: readonly string[]): Promise<void>
  removeRow(row: number): Promise<void>
  setHead(head: Omit<Numbering, 'rows'>): Promise<void>
}

export function createRunIndex(rows: Rows): RunIndex {
  const head = createNumberingRow(rows, 'runs', SUMMARIES_PER_ROW)
  const toKey = (row: number) => `runs-${row}`
  const write = (row: number, summary: RunSummary) =>
    rows.update('index', toKey(row), [{ type: 'set', path: summary.id, value: summary }])

  return {
    head: head.read,
    async add(summary) {
      const { places } = await head.add({ places: 1, entries: 1 })
      const row = Math.floor((places - 1) / SUMMARIES_PER_ROW)
      const { value, failed } = await write(row, summary)
      if (failed > 0) await rows.set('index', toKey(row), { [summary.id]: summary })
      // After a head was lost: rows that are full already are passed by.
      else if (countKeys(value) > 2 * SUMMARIES_PER_ROW) await head.add({ places: SUMMARIES_PER_ROW })
      return row
    },
    update: async (row, summary) => void (await write(row, summary)),
    count: async (bytes) => (await head.add({ bytes })).head,
    read: async (row) => toSummaries(await rows.get('index', toKey(row))),
    async remove(row, runIds) {
      const ops = runIds.map((path) => ({ type: 'remove' as const, path }))
      if (ops.length > 0) await rows.update('index', toKey(row), ops)
    },
    removeRow: async (row) => void (await rows.delete('index', toKey(row))),
    setHead: head.set,
  }
}

function countKeys(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

/** On Redis, an update of a row makes an empty object of each empty list in it. */
function withTasks(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || !('tasks' in row)) return row
  return JSON.stringify(row.tasks) === '{}' ? { ...row, tasks: [] } : row
}

function toSummaries(value: unknown): RunSummary[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .filter(([id]) => isRunId(id))
    .sort(([a], [b]) => compareText(b, a))
    .flatMap(([id, row]) => {
      const parsed = RunSummary.safeParse(withTasks(row))
      return parsed.success && parsed.data.id === id ? [parsed.data] : []
    })
}

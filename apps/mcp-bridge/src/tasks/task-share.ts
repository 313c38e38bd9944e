import { isExpired, isOver, type TaskOutcome, type TaskRow } from './record.ts'
import type { RunningTask } from './running.ts'

/** What is kept of the tasks of those who count together, and which of them give way to a new one. */
export interface TaskShare {
  /**
   * Is there place for one more? Those that are over give way to it: cancelled ones first, which nobody asks for, then those that were
   * over first.
   */
  makePlace(): boolean
  add(task: RunningTask): void
  /** Those that are not over. */
  running(): RunningTask[]
  /** One that is not written down as over. */
  find(id: string): RunningTask | undefined
  /** It is over. What is kept of others gives way when that is too much together. */
  ended(row: TaskRow, outcome: TaskOutcome | undefined): void
  /** It is written down as over, and needs no memory any more. */
  written(id: string): void
  /** Ends and forgets those whose time is over. */
  forgetExpired(): void
}

export interface TaskShareOptions {
  /** How many run at once, and how many there are with those that are over. */
  readonly atOnce: number
  readonly kept: number
  /** What came of those that are over, together. */
  readonly keptBytes: number
  /** Removes what is stored of one. Never rejects. */
  readonly remove: (id: string) => void
  readonly now: () => number
}

interface Over {
  readonly row: TaskRow
  readonly bytes: number
}

/** Functions that write their results down themselves may do so after their task has given way; so many of these are remembered. */
const MAX_LATE = 10_000

export function createTaskShare({ atOnce, kept, keptBytes, remove, now }: TaskShareOptions): TaskShare {
  const tasks = new Map<string, RunningTask>()
  /** What was over first comes first. */
  const over = new Map<string, Over>()
  let bytes = 0
  /** Until when something may still be written for one that has given way. */
  const late = new Map<string, number>()

  function forget(id: string): void {
    bytes -= over.get(id)?.bytes ?? 0
    over.delete(id)
  }

  function giveWay(): void {
    const first = [...over.values()].find(({ row }) => row.status === 'cancelled') ?? over.values().next().value
    if (first === undefined) return
    const { id, keeps_result, deadline_at } = first.row
    forget(id)
    tasks.delete(id)
    remove(id)
    if (keeps_result && now() < deadline_at) late.set(id, deadline_at)
  }

  function removeLate(): void {
    for (const [id, deadlineAt] of late) {
      if (now() <= deadlineAt && late.size <= MAX_LATE) continue
      late.delete(id)
      remove(id)
    }
  }

  function forgetExpired(): void {
    for (const [id, { row }] of over) if (isExpired(row, now())) forget(id)
    for (const [id, task] of tasks) {
      if (!isExpired(task.row, now())) continue
      void task.cancel('Its time is over')
      forget(id)
      tasks.delete(id)
    }
    removeLate()
  }

  const toRunning = () => [...tasks.values()].filter(({ row }) => !isOver(row))

  return {
    makePlace() {
      forgetExpired()
      const running = toRunning().length
      if (running >= Math.min(atOnce, kept)) return false
      while (running + over.size >= kept) giveWay()
      return true
    },
    add: (task) => void tasks.set(task.row.id, task),
    running: toRunning,
    find: (id) => tasks.get(id),
    ended(row, outcome) {
      if (!tasks.has(row.id)) return
      const size = outcome === undefined ? 0 : Buffer.byteLength(JSON.stringify(outcome))
      over.set(row.id, { row, bytes: size })
      bytes += size
      while (bytes > keptBytes && over.size > 1) giveWay()
    },
    written: (id) => void tasks.delete(id),
    forgetExpired,
  }
}

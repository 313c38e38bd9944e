import { z } from 'zod'
import { Baseline, CachedResult } from '../cache/stored.ts'
import type { Rows } from './rows.ts'

/** Results that may be taken again, and when each task last passed. */
export interface CacheRows {
  /** @param epoch of the store, see `StoreFacts` */
  find(key: string, epoch: number): Promise<CachedResult | undefined>
  store(key: string, epoch: number, result: CachedResult): Promise<void>
  /** Removes results that this run has stored. */
  remove(runId: string, keys: readonly string[]): Promise<void>
  /** The last time that each task of a job passed, by task. */
  baselines(job: string): Promise<ReadonlyMap<string, Baseline>>
  /** Writes those of the tasks that have passed. */
  writeBaselines(job: string, baselines: ReadonlyMap<string, Baseline>): Promise<void>
}

const Row = z.object({ epoch: z.int(), result: CachedResult })

/** Before the id of a task: some ids are no names that the engine takes. */
const PREFIX = 'task '
/** The engine takes no longer one. */
const MAX_NAME_BYTES = 256

export function createCacheRows(rows: Rows): CacheRows {
  return {
    async find(key, epoch) {
      const parsed = Row.safeParse(await rows.get('cache', key))
      return parsed.data?.epoch === epoch ? parsed.data.result : undefined
    },
    store: (key, epoch, result) => rows.set('cache', key, { epoch, result }),
    async remove(runId, keys) {
      for (const key of keys) {
        const parsed = Row.safeParse(await rows.get('cache', key))
        // A later run has stored it anew.
        if (parsed.success && parsed.data.result.run_id !== runId) continue
        await rows.delete('cache', key)
      }
    },
    async baselines(job) {
      const value = await rows.get('baselines', job)
      if (typeof value !== 'object' || value === null) return new Map()
      const entries = Object.entries(value).flatMap(([name, row]): [string, Baseline][] => {
        const parsed = Baseline.safeParse(row)
        return name.startsWith(PREFIX) && parsed.success ? [[name.slice(PREFIX.length), parsed.data]] : []
      })
      return new Map(entries)
    },
    async writeBaselines(job, baselines) {
      const ops = [...baselines].flatMap(([task, value]) => {
        const path = PREFIX + task
        return Buffer.byteLength(path) > MAX_NAME_BYTES ? [] : [{ type: 'set' as const, path, value }]
      })
      if (ops.length === 0) return
      const { failed } = await rows.update('baselines', job, ops)
      // Somebody else wrote the row, and it is no object.
      if (failed === ops.length)
        await rows.set('baselines', job, Object.fromEntries(ops.map((op) => [op.path, op.value])))
    },
  }
}

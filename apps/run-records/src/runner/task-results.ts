import { Fault } from '@iii/protocol'
import type { PlannedTask } from '../jobs/plan.ts'
import type { Digests } from '../record/digests.ts'

/** The results of the tasks of a run, for those that work on them. */
export interface Results {
  /** A task has passed, or was cached. @param isKept whether its digest may stand in a record */
  add(id: string, output: unknown, isKept: boolean): void
  /** What a task gets. @throws Fault `too_large` for more than a call can carry */
  of(task: PlannedTask): { outputs: Record<string, unknown>; digests: Record<string, string> }
  /** The same for the record of the task. */
  toRecord(task: PlannedTask): Record<string, string>
}

/** Of all results that a task gets, as JSON; the engine takes messages of some more. */
const MAX_BYTES = 8 * 1024 * 1024
/** Stands for the digest of a result of which nothing may be kept. */
const NOT_KEPT = 'not kept'

export function createResults({ digest }: Digests): Results {
  const results = new Map<string, { output: unknown; digest: string; isKept: boolean; bytes: number }>()
  const find = ({ needs }: PlannedTask) =>
    needs.flatMap((id) => {
      const result = results.get(id)
      return result === undefined ? [] : [[id, result] as const]
    })

  return {
    add(id, output = null, isKept) {
      const bytes = Buffer.byteLength(JSON.stringify(output))
      results.set(id, { output, digest: digest(output), isKept, bytes })
    },
    of(task) {
      const found = find(task)
      const bytes = found.reduce((sum, [, result]) => sum + result.bytes, 0)
      if (bytes > MAX_BYTES) {
        const text = `The results that ${task.id} works on have ${bytes} bytes; ${MAX_BYTES} is the most: let it read them itself`
        throw new Fault('too_large', text)
      }
      return {
        outputs: Object.fromEntries(found.map(([id, { output }]) => [id, output])),
        digests: Object.fromEntries(found.map(([id, result]) => [id, result.digest])),
      }
    },
    toRecord: (task) => Object.fromEntries(find(task).map(([id, r]) => [id, r.isKept ? r.digest : NOT_KEPT])),
  }
}

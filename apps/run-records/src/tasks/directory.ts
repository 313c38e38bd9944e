import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { z } from 'zod'
import { type Task, type TaskDefinition, toTask } from './task.ts'

/** Something that makes a function run. */
export interface TriggerBinding {
  readonly type: string
  readonly functionId: string
  readonly config: unknown
}

/** What the engine knows of tasks. Nothing here calls a function of a worker, or writes. */
export interface TaskDirectory {
  /** All tasks, by id. */
  list(): Promise<Map<string, Task>>
  /** Tasks with their schemas; those that are not registered are left out. */
  define(ids: readonly string[]): Promise<Map<string, TaskDefinition>>
  /** What is bound at the moment. Triggers that wait for their provider are not told. */
  triggers(): Promise<TriggerBinding[]>
}

/** How many ids the engine takes in one question. */
const BATCH = 32
const ASK_MS = 5_000

const FunctionRow = z.object({
  function_id: z.string(),
  description: z.string().optional().catch(undefined),
  worker_name: z.string().optional().catch(undefined),
  metadata: z.unknown().optional(),
  request_schema: z.unknown().optional(),
  response_schema: z.unknown().optional(),
  /** Where it is, on an engine that has namespaces. */
  namespace: z.string().optional(),
  /** Stands in a batch for an id that is not registered. */
  error: z.unknown().optional(),
})
const FunctionRows = z.object({ functions: z.array(z.unknown()) })
const TriggerRow = z.object({ trigger_type: z.string(), function_id: z.string(), config: z.unknown().optional() })
const TriggerRows = z.object({ registered_triggers: z.array(z.unknown()) })

/** Tasks are functions of the namespace of this worker, where it calls them. */
export function createTaskDirectory(engine: Pick<Worker, 'trigger' | 'namespace'>): TaskDirectory {
  const { namespace: own = DEFAULT_NAMESPACE } = engine
  const isOurs = ({ namespace = own }: z.output<typeof FunctionRow>) => namespace === own
  const ask = (functionId: string, payload: object) =>
    engine.trigger({ function_id: `engine::${functionId}`, payload, timeoutMs: ASK_MS })

  async function defineBatch(ids: readonly string[]): Promise<TaskDefinition[]> {
    const answer = FunctionRows.parse(await ask('functions::info', { function_ids: ids, namespace: own }))
    return answer.functions.flatMap((row) => {
      const parsed = FunctionRow.safeParse(row)
      if (!parsed.success || parsed.data.error !== undefined || !isOurs(parsed.data)) return []
      const task = toTask(toFacts(parsed.data))
      if (task === undefined) return []
      return [{ ...task, requestSchema: parsed.data.request_schema, responseSchema: parsed.data.response_schema }]
    })
  }

  return {
    async list() {
      const { functions } = FunctionRows.parse(await ask('functions::list', {}))
      const tasks = functions.flatMap((row) => {
        const parsed = FunctionRow.safeParse(row)
        return (parsed.success && isOurs(parsed.data) && toTask(toFacts(parsed.data))) || []
      })
      return new Map(tasks.map((task) => [task.id, task]))
    },
    async define(ids) {
      const unique = [...new Set(ids)]
      const batches = Array.from({ length: Math.ceil(unique.length / BATCH) }, (_, at) =>
        defineBatch(unique.slice(at * BATCH, (at + 1) * BATCH)),
      )
      return new Map((await Promise.all(batches)).flat().map((task) => [task.id, task]))
    },
    async triggers() {
      const answer = TriggerRows.parse(await ask('registered-triggers::list', {}))
      return answer.registered_triggers.flatMap((row) => {
        const parsed = TriggerRow.safeParse(row)
        if (!parsed.success) return []
        const { trigger_type: type, function_id: functionId, config } = parsed.data
        return [{ type, functionId, config }]
      })
    },
  }
}

function toFacts({ function_id: id, description, worker_name: worker, metadata }: z.output<typeof FunctionRow>) {
  return { id, description, worker, metadata }
}

import { MAX_VISIBLE_IDS, type McpSidecar, readMcpMetadata, refuse, toViaIds, VisibleAnswer } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import type { Task } from '../tasks/task.ts'
import { MAX_RESULT_BYTES, toMaxBytes } from './result-limit.ts'

export type TasksById = ReadonlyMap<string, Task>

/** Who somebody is to the records: by who it says it is where clients have to, else by its session. */
export interface Identity {
  readonly session?: string | undefined
  readonly principal?: string | undefined
  /** Whether it is told only of its own runs and calls, or of those of others too; where clients need not say who they are there is no such rule. */
  readonly runs?: 'own' | 'all' | undefined
}

/** What whoever asks may be shown. */
export interface TaskView {
  readonly tasks: TasksById
  /** Who asks; undefined for the operator and for workers, who are shown everything. */
  readonly viewer: Identity | undefined
  /** How large an answer may be, as text and as data together: what is larger its bridge would cut, and leave the data out. */
  readonly maxBytes: number
}

/** Finds out what whoever asks may be shown of these tasks. */
export type TaskViewer = (tasks: TasksById) => Promise<TaskView>

/** For who has a shell, and for workers: they can call any function themselves. */
export const SEES_ALL: TaskViewer = async (tasks) => ({ tasks, viewer: undefined, maxBytes: MAX_RESULT_BYTES })

const ASK_MS = 2_000

/**
 * A client of a bridge sees what the floor, the operator of this worker and the function itself allow, and of that what its bridge would
 * show it. Where the bridge does not answer, only functions that say `mcp.expose: true`.
 */
export function createClientViewer(
  engine: Pick<Worker, 'trigger'>,
  { call_id, via, via_namespace: namespace }: Pick<McpSidecar, 'call_id' | 'via' | 'via_namespace'>,
  hiddenPrefixes: readonly string[],
): TaskViewer {
  async function ask(ids: readonly string[]): Promise<VisibleAnswer> {
    const payload = { call_id, function_ids: ids }
    const request = { function_id: toViaIds(via).visible, namespace, payload, timeoutMs: ASK_MS }
    return VisibleAnswer.parse(await engine.trigger(request))
  }

  return async (tasks) => {
    const allowed = [...tasks.values()].filter((task) => refuseTask(task, hiddenPrefixes) === undefined)
    try {
      const answers = await Promise.all(toBatches(allowed.map(({ id }) => id)).map(ask))
      const visible = new Set(answers.flatMap((answer) => answer.visible))
      const { session, principal, runs, max_result_bytes: shown } = answers[0] ?? {}
      const viewer = { session, principal, runs }
      return { tasks: keep(allowed, ({ id }) => visible.has(id)), viewer, maxBytes: toMaxBytes(shown) }
    } catch {
      return {
        tasks: keep(allowed, ({ metadata }) => readMcpMetadata(metadata).expose === true),
        viewer: {},
        maxBytes: MAX_RESULT_BYTES,
      }
    }
  }
}

/** Why this worker shows a function to no client; undefined when it does. */
export function refuseTask({ id, metadata }: Pick<Task, 'id' | 'metadata'>, hiddenPrefixes: readonly string[]) {
  return refuse(id, metadata, { requireExpose: false, exposeAll: true, tier: undefined, hiddenPrefixes }, 'tool')
}

function keep(tasks: readonly Task[], test: (task: Task) => boolean): TasksById {
  return new Map(tasks.filter(test).map((task) => [task.id, task]))
}

/** One at least: the answer says who asks, too. */
function toBatches(ids: readonly string[]): string[][] {
  const count = Math.max(1, Math.ceil(ids.length / MAX_VISIBLE_IDS))
  return Array.from({ length: count }, (_, at) => ids.slice(at * MAX_VISIBLE_IDS, (at + 1) * MAX_VISIBLE_IDS))
}

import { toFault, toScope } from '@iii/protocol'
import { createStateScope, type StateScope, streamStateRows, type Worker } from '@iii/sdk'
import { isExpired, isOver, TASK_SCOPES, type TaskOutcome, TaskQuestions, TaskRow } from './record.ts'
import { readWritten, toFailed } from './written.ts'

/** What all bridges of an engine know of tasks. Every method rejects when the engine has no state. */
export interface TaskStore {
  /** Where functions write down what came of them. */
  readonly resultsScope: string
  get(id: string): Promise<TaskRow | undefined>
  /** What is over stays as it was written first: a client may have been told. @returns what stands */
  save(row: TaskRow, outcome?: TaskOutcome): Promise<TaskRow>
  /** What came of a task; undefined when nothing is written down, by its bridge or by its function. */
  outcome(row: TaskRow): Promise<TaskOutcome | undefined>
  remove(id: string): Promise<void>
  /** Removes all whose time is over, and those that are too many. It reads every row: not for each request. */
  sweep(now: number): Promise<void>
}

/** Each bridge keeps few; those of bridges that are gone are what can become many. They are read in one message. */
const MAX_ROWS = 10_000

export function createTaskStore(
  engine: Pick<Worker, 'trigger' | 'namespace' | 'url'>,
  timeoutMs: number,
  maxRows = MAX_ROWS,
): TaskStore {
  const { namespace } = engine
  const resultsScope = toScope(TASK_SCOPES.results, namespace)
  const scope = toScope(TASK_SCOPES.tasks, namespace)
  const rows = createStateScope<unknown>(engine, scope, { timeoutMs })
  const results = createStateScope<unknown>(engine, resultsScope, { timeoutMs })
  // Rows are read together, so they are small: what is asked is apart.
  const questions = createStateScope<unknown>(engine, toScope(TASK_SCOPES.questions, namespace), { timeoutMs })
  const asking = new Set<string>()

  /** Whatever somebody else has written there is no task. */
  const read = async (id: string) => TaskRow.safeParse(await rows.get(id)).data
  const readAll = createReadAll(rows, engine.url, scope)

  async function remove(id: string): Promise<void> {
    await Promise.all([rows.delete(id), results.delete(id), questions.delete(id)])
  }

  async function saveQuestions({ id, input_requests: asked }: TaskRow): Promise<void> {
    if (asked !== undefined) {
      asking.add(id)
      await questions.set(id, asked)
    } else if (asking.delete(id)) await questions.delete(id)
  }

  return {
    resultsScope,
    remove,
    async get(id) {
      const row = await read(id)
      if (row?.status !== 'input_required') return row
      return {
        ...row,
        input_requests: row.input_requests ?? TaskQuestions.safeParse(await questions.get(id)).data ?? {},
      }
    },
    async save(row, outcome) {
      const written = await read(row.id)
      if (written !== undefined && isOver(written)) return written
      // A row says that the task is over only once there is something to read.
      if (outcome !== undefined) await results.set(row.id, outcome)
      await saveQuestions(row)
      const { input_requests: _, ...small } = row
      await rows.set(row.id, small)
      return row
    },
    outcome: async (row) => toFailed(row, readWritten(await results.get(row.id), row)),
    async sweep(now) {
      const all = await readAll()
      const valid = all.filter((row) => !isExpired(row, now)).sort(byWorth)
      const gone = new Set([...all.filter((row) => isExpired(row, now)), ...valid.slice(maxRows)])
      for (const { id } of gone) await remove(id)
    },
  }
}

/**
 * Reads all tasks: on a connection of its own once what others have put there, in one message, has cost this one. An engine that was away or
 * slow looks the same, so that what is small after all is read here again.
 */
function createReadAll(rows: Pick<StateScope<unknown>, 'list'>, url: string, scope: string): () => Promise<TaskRow[]> {
  let isTooLarge = false
  return async () => {
    if (isTooLarge) {
      const { tasks, bytes } = await readStreamed(url, scope)
      isTooLarge = bytes > MAX_LISTED_BYTES
      return tasks
    }
    try {
      return (await rows.list()).flatMap(toTasks)
    } catch (error) {
      const { code } = toFault(error)
      // What comes too late costs the connection all the same.
      isTooLarge = code === 'worker_lost' || code === 'deadline'
      throw error
    }
  }
}

const MAX_ROW_BYTES = 65_536
/** Far below what a message may have, and above what so many tasks as are kept do. */
const MAX_LISTED_BYTES = 16 * 1024 * 1024

async function readStreamed(url: string, scope: string): Promise<{ tasks: TaskRow[]; bytes: number }> {
  const tasks: TaskRow[] = []
  let bytes = 0
  for await (const { text, isWhole } of streamStateRows(url, scope, { maxRowBytes: MAX_ROW_BYTES })) {
    bytes += isWhole ? text.length : Number.POSITIVE_INFINITY
    if (isWhole) tasks.push(...toTasks(JSON.parse(text)))
  }
  return { tasks, bytes }
}

function toTasks(row: unknown): TaskRow[] {
  const { data } = TaskRow.safeParse(row)
  return data === undefined ? [] : [data]
}

/** Those that are over come last, the oldest of them at the end. */
function byWorth(a: TaskRow, b: TaskRow): number {
  return Number(isOver(a)) - Number(isOver(b)) || b.created_at - a.created_at
}

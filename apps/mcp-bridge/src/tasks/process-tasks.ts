import { randomBytes } from 'node:crypto'
import type { Logger } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import type { FunctionCall, Invoker, RoundAnswers } from '../invocation/index.ts'
import type { McpCall } from '../mcp/call.ts'
import type { CallParams } from '../mcp/params.ts'
import type { Fingerprints } from '../sessions/fingerprint.ts'
import { isOver, type TaskRow } from './record.ts'
import { createRunningTask, type RunningTask, type RunningTaskOptions } from './running.ts'
import type { TaskStore } from './store.ts'
import { createTaskShare, type TaskShare } from './task-share.ts'

/** A tool call that may become a task. */
export interface TaskCandidate {
  readonly invocation: FunctionCall
  /** Which process has the function. */
  readonly worker: string | undefined
  readonly hasOutputSchema: boolean
  /** The arguments that the function takes. */
  readonly takes: readonly string[]
}

/** The tasks that this process began. */
export interface ProcessTasks {
  /** @returns how the new task stands, once every bridge can be asked for it; undefined when too many run */
  begin(job: TaskCandidate, call: McpCall, request: TaskBeginning): Promise<TaskRow | undefined>
  /** How many of somebody's run. */
  countOf(principal: Principal): number
  /** One that is not written down as over. */
  find(id: string): RunningTask | undefined
  /** What runs is left to itself. */
  close(): void
}

export interface TaskBeginning {
  readonly params: CallParams
  readonly answers: RoundAnswers | undefined
}

export interface ProcessTasksOptions {
  readonly store: TaskStore
  readonly invoker: Pick<Invoker, 'once'>
  readonly fingerprints: Pick<Fingerprints, 'of'>
  readonly via: string
  readonly log: Logger
  readonly atOnce: number
  readonly kept: number
  readonly keptBytes: number
  readonly maxResultBytes: () => number
  readonly now: () => number
}

/** How long a function may run as a task: one that does not say so itself, and one that does. */
const RUN_MS = 30 * 60_000
const MAX_RUN_MS = 24 * 3_600_000
/** How long a result is kept, at the least. */
const KEEP_MS = 3_600_000

export function createProcessTasks(options: ProcessTasksOptions): ProcessTasks {
  const { store, invoker, fingerprints, via, log, now, maxResultBytes, ...limits } = options
  const remove = (id: string) => void store.remove(id).catch(() => undefined)
  const toShare = () => createTaskShare({ ...limits, remove, now })
  // Tasks are of a revision without sessions: the client that started this process counts alone, and all others together.
  const [attached, others] = [toShare(), toShare()]
  const beginners = new WeakMap<RunningTask, string>()
  let isClosed = false

  async function write(share: TaskShare, ...[row, outcome]: Parameters<TaskStore['save']>): Promise<void> {
    try {
      await store.save(row, outcome)
      if (isOver(row)) share.written(row.id)
    } catch (error) {
      if (isClosed) return
      const text = 'engine state is not available: a task is known to this process alone and ends with it'
      log.warn({ reason: String(error) }, text)
    }
  }

  /** One write after the other: they overtake each other on the engine. */
  function createSave(share: TaskShare): RunningTaskOptions['save'] {
    let last: Promise<void> = Promise.resolve()
    return (row, outcome) => {
      if (isOver(row)) share.ended(row, outcome)
      last = last.then(() => write(share, row, outcome))
      return last
    }
  }

  const forgetExpired = () => {
    for (const share of [attached, others]) share.forgetExpired()
  }

  return {
    countOf({ id }) {
      forgetExpired()
      return [...attached.running(), ...others.running()].filter((task) => beginners.get(task) === id).length
    },
    find(id) {
      forgetExpired()
      return attached.find(id) ?? others.find(id)
    },
    async begin(job, call, { params, answers }) {
      const share = call.attached ? attached : others
      if (!share.makePlace()) return undefined
      const row = toRow(job, { via, owner: fingerprints.of(call.principal), now: now() })
      const save = createSave(share)
      const isStopping = () => isClosed
      const { resultsScope } = store
      const { invocation } = job
      const called = { row, resultsScope, invocation, invoker, call, params }
      const task = createRunningTask({ ...called, save, isStopping, maxResultBytes, now })
      share.add(task)
      beginners.set(task, call.principal.id)
      await save(row, undefined)
      task.start(answers)
      return row
    },
    close() {
      isClosed = true
    },
  }
}

/** Rows are read together, so they are small. */
const MAX_TAKES = 10
const MAX_TAKES_LENGTH = 32

interface RowFacts {
  readonly via: string
  readonly owner: string | undefined
  readonly now: number
}

function toRow({ invocation, worker, hasOutputSchema, takes }: TaskCandidate, { via, owner, now }: RowFacts): TaskRow {
  const { metadata, functionId, namespace } = invocation.pass
  const runMs = Math.min(metadata.timeout_ms ?? RUN_MS, MAX_RUN_MS)
  return {
    // Where nobody is asked who they are, whoever has it may use it: so nobody must be able to guess it.
    id: randomBytes(24).toString('base64url'),
    status: 'working',
    created_at: now,
    updated_at: now,
    ttl_ms: runMs + KEEP_MS,
    deadline_at: now + runMs,
    via,
    function_id: functionId,
    ...(namespace === undefined ? {} : { namespace }),
    ...(worker === undefined ? {} : { worker }),
    keeps_result: metadata.keeps_result === true,
    has_output_schema: hasOutputSchema,
    ...(owner === undefined ? {} : { owner }),
    takes: takes.filter(({ length }) => length <= MAX_TAKES_LENGTH).slice(0, MAX_TAKES),
  }
}

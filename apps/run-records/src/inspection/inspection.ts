import type { FunctionContract } from '@iii/protocol'
import type { AskEngine, Worker } from '@iii/sdk'
import type { z } from 'zod'
import { diffInputs, listRuns, readRun } from '../contracts/runs.ts'
import { explainTask, graph, listTasks } from '../contracts/tasks.ts'
import { doctor, metadata } from '../contracts/worker.ts'
import type { Options } from '../options.ts'
import { createTaskDirectory, type TriggerBinding } from '../tasks/directory.ts'
import { createFreshDirectory } from '../tasks/fresh-directory.ts'
import { answerDiff } from './diff-inputs.ts'
import { type DoctorParts, diagnoseRecords } from './doctor.ts'
import { allowsRun, findStateKind } from './engine-facts.ts'
import { answerExplain } from './explain-task.ts'
import { graphOf } from './graph-of.ts'
import { answerList } from './list-runs.ts'
import { answerTasks } from './list-tasks.ts'
import { answerRead } from './read-run.ts'
import type { EntryQuery, RecordReader } from './records.ts'
import type { TaskViewer } from './viewer.ts'
import { readVisibility, requireTask, type Visibility } from './visibility.ts'
import { describeWorker } from './worker-metadata.ts'

/** What inspection looks at. */
export interface InspectionParts extends Pick<DoctorParts, 'locks'> {
  readonly engine: Pick<Worker, 'trigger' | 'url' | 'namespace'>
  /** As they are at the moment. */
  readonly options: () => Readonly<Options>
  readonly records: RecordReader
}

/** Answers a question about runs. */
type Answer<C> =
  C extends FunctionContract<infer I, infer O>
    ? (request: z.output<I>, viewer: TaskViewer) => Promise<z.output<O>>
    : never

/** Every question that can be asked, by the name of its tool; the commands of an operator ask the same. */
export const INSPECTIONS = {
  list_tasks: listTasks,
  graph,
  explain_task: explainTask,
  metadata,
  list_runs: listRuns,
  read_run: readRun,
  diff_inputs: diffInputs,
  doctor,
} as const

/** The answers. They call functions of the engine and read its state; no function of a worker but the asking bridge's, and no write. */
export type Inspection = { readonly [Name in keyof typeof INSPECTIONS]: Answer<(typeof INSPECTIONS)[Name]> }

const ASK_MS = 5_000
/** What is looked through for edges of calls. */
const MAX_CALLS = 100
/** What is looked through for how tasks went last. */
const MAX_RUNS = 100

export function createInspection(parts: InspectionParts): Inspection {
  const { engine, options, records } = parts
  const directory = createFreshDirectory(createTaskDirectory(engine))
  const ask: AskEngine = (functionId, payload) =>
    engine.trigger({ function_id: functionId, payload, timeoutMs: ASK_MS })
  const see = async (viewer: TaskViewer, ...naming: string[]) =>
    await readVisibility(await directory.list(naming), viewer, options().jobs)
  const list = async (visibility: Visibility, query: EntryQuery) =>
    (await records.list({ ...query, accept: (entry) => visibility.shows(entry) })).entries

  /** What the engine has bound. A trigger type that hangs its list must not keep the rest. */
  const triggers = (): Promise<TriggerBinding[]> => directory.triggers()

  return {
    async list_tasks(request, viewer) {
      const [visibility, bound] = await Promise.all([see(viewer), triggers()])
      const entries = await list(visibility, { limit: MAX_RUNS, kind: 'run' })
      return answerTasks(request, visibility, { triggers: bound, entries })
    },
    async graph(request, viewer) {
      const [visibility, bound] = await Promise.all([
        see(viewer, ...(request.job === undefined ? [] : [request.job])),
        triggers(),
      ])
      const { recordCalls: recordsCalls } = options()
      const entries = recordsCalls ? await list(visibility, { limit: MAX_CALLS, kind: 'call' }) : []
      return graphOf(request, visibility, { triggers: bound, entries, recordsCalls })
    },
    async explain_task({ task }, viewer) {
      const [visibility, bound] = await Promise.all([see(viewer, task), triggers()])
      const { id } = requireTask(task, visibility)
      const [definitions, entries] = await Promise.all([
        directory.define([id]),
        list(visibility, { limit: 3, kind: 'run', task }),
      ])
      const definition = definitions.get(id) ?? {
        ...requireTask(task, visibility),
        requestSchema: null,
        responseSchema: null,
      }
      return answerExplain(visibility, {
        definition,
        triggers: bound,
        entries,
        hiddenPrefixes: options().hiddenPrefixes,
      })
    },
    async metadata(_request, viewer) {
      const [visibility, state, allowRun] = await Promise.all([
        see(viewer),
        findStateKind(ask),
        allowsRun(ask, engine.namespace),
      ])
      return describeWorker(visibility, options(), { state, allowRun })
    },
    list_runs: async (request, viewer) => await answerList(request, await see(viewer), records),
    async read_run(request, viewer) {
      const found = await records.read(request.run_id)
      const visibility = await see(viewer, ...(found?.record.tasks ?? []).map(({ id }) => id))
      return answerRead(request, visibility, found)
    },
    async diff_inputs(request, viewer) {
      const visibility = await see(viewer, request.task)
      const isKnown = visibility.tasks.has(request.task)
      const definition = isKnown ? (await directory.define([request.task])).get(request.task) : undefined
      // A client is told nothing of a task that it may not see; the operator may ask about one that is gone.
      if (visibility.viewer !== undefined) requireTask(request.task, visibility)
      return await answerDiff(request, visibility, { records, definition })
    },
    doctor: async (_request, viewer) => await diagnoseRecords(parts, await see(viewer), { ask, triggers }),
  }
}

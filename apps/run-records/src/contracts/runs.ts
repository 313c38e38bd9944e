import { z } from 'zod'
import { CallGap, CallRecord } from '../record/call-record.ts'
import { CacheReceipt, ContextPack, RunId, RunRecord, RunSummary } from '../record/run-record.ts'
import { Status } from '../record/status.ts'
import { CURSOR_RULE, defineInspection, givenName, leftOut } from './contract.ts'
import { Graph } from './tasks.ts'

/** Entries of a list of runs name their kind. */
export const ListedRun = z.discriminatedUnion('kind', [RunSummary, CallRecord, CallGap])
export type ListedRun = z.output<typeof ListedRun>

/** What a list of runs gives to go on with. */
export const Cursor = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9_.:-]+$/, CURSOR_RULE)

/** A point of time, in whatever zone. */
export const Since = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-11-22T06:00:00Z' })

export const listRuns = defineInspection({
  name: 'list_runs',
  title: 'List runs and calls',
  description:
    'Lists what ran, the newest first: runs of jobs, and the calls that MCP clients made, with who, when and what came of it. Executes nothing.',
  request: z.strictObject({
    limit: z.int().min(1).max(100).default(20),
    cursor: Cursor.optional().describe('The `cursor` of the page before'),
    kind: z.enum(['run', 'call']).optional(),
    job: givenName.optional(),
    task: givenName.optional().describe('Only runs with this task, and calls of this function'),
    status: Status.optional(),
    since: Since.optional().describe('Only what began then or later'),
    mine: z.boolean().optional().describe('Only what whoever asks has done'),
  }),
  response: z.object({
    runs: z.array(ListedRun),
    cursor: z.string().optional().describe('Asks for the next page'),
    left_out: leftOut,
  }),
})

export const readRun = defineInspection({
  name: 'read_run',
  title: 'Read a run',
  description:
    'Shows the record of one run: every task with input, result, times and why it was computed or taken from the cache, and for what failed how to go on. Executes nothing.',
  request: z.strictObject({ run_id: RunId }),
  response: z.object({
    record: RunRecord,
    receipts: z.array(CacheReceipt.extend({ task: z.string() })),
    context_packs: z.array(ContextPack),
    graph: Graph,
    left_out: leftOut,
  }),
})

const Pointers = z.array(z.string()).describe('JSON pointers')
const Side = z.object({ run_id: z.string().optional(), finished_at: z.string().optional(), status: Status.optional() })

/** A difference, or why there is none; one object, because clients want the schema of a result to be one. */
export const diffInputs = defineInspection({
  name: 'diff_inputs',
  title: 'Compare inputs',
  description:
    'Says what differs between two runs of a task, or between an input and the last run that passed: JSON pointers, never values. Executes nothing.',
  request: z.strictObject({
    task: givenName,
    run_id: RunId.optional().describe('Compares this run; otherwise the last one'),
    against: RunId.optional().describe('With this run; otherwise with the last that passed before it'),
    input: z.record(z.string(), z.unknown()).optional().describe('Compares this input instead of that of a run'),
  }),
  response: z.object({
    task: z.string(),
    baseline_missing: z.literal(true).optional(),
    reason: z.string().optional().describe('Why there is nothing to compare with'),
    baseline: Side.optional(),
    compared: Side.optional(),
    added: Pointers.optional(),
    removed: Pointers.optional(),
    changed: Pointers.optional(),
    not_compared: Pointers.optional().describe('What was taken out of records because it is secret'),
    definition_changed: z.boolean().optional(),
    dependencies_changed: z.array(z.string()).optional(),
    same_result: z.boolean().optional(),
    left_out: leftOut,
  }),
})

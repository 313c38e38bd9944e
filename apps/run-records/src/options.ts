import { MAX_TIMEOUT_MS } from '@iii/protocol'
import { HIDDEN_PREFIXES_OPTION, type OptionTable, withEnvironment } from '@iii/sdk'
import { z } from 'zod'
import { JobDeclarations } from './jobs/declaration.ts'

/** What can be set for the worker `runs`. */
export interface Options {
  /** Whether jobs may be run through functions, and so by clients of the bridge. Never stored on the engine. @default false */
  allowRun: boolean
  /** Beginnings of function ids that nobody is shown, beside the floor. @default [] */
  hiddenPrefixes: readonly string[]
  /** How many runs are kept. @default 500 */
  keepRuns: number
  /** How many calls are kept. @default 5000 */
  keepCalls: number
  /** For how many days runs and calls are kept. @default 14 */
  keepDays: number
  /** How many bytes the details of runs may take together, and those of calls. @default 67108864 */
  keepBytes: number
  /** Whether calls that bridges tell of are kept. @default true */
  recordCalls: boolean
  /** How large an input may be in a record; a larger one is a digest alone. @default 65536 */
  recordInputBytes: number
  /** How large an output may be in a record; a larger one is a digest alone. @default 262144 */
  recordOutputBytes: number
  /** The jobs that the operator declares. @default {} */
  jobs: JobDeclarations
  /** Jobs that functions declare in their metadata and that run over MCP all the same. @default [] */
  allowMetadataJobs: readonly string[]
  /** How long a call of the engine's state may take. @default 10000 */
  stateTimeoutMs: number
}

const MAX_DETAIL_BYTES = 1024 * 1024

const KEEP = {
  keepRuns: {
    yaml: 'keep.runs',
    stored: 'any',
    schema: z.int().min(1).max(1000),
    default: 500,
    describe: 'How many runs are kept.',
  },
  keepCalls: {
    yaml: 'keep.calls',
    stored: 'any',
    schema: z.int().min(1).max(10_000),
    default: 5000,
    describe: 'How many calls are kept.',
  },
  keepDays: {
    yaml: 'keep.days',
    stored: 'any',
    schema: z.int().min(1).max(3650),
    default: 14,
    describe: 'For how many days runs and calls are kept.',
  },
  keepBytes: {
    yaml: 'keep.bytes',
    stored: 'any',
    schema: z.int().min(1024 * 1024),
    default: 64 * 1024 * 1024,
    describe: 'How many bytes the details of runs may take together, and those of calls.',
  },
} satisfies Partial<OptionTable<Options>>

const RECORD = {
  recordCalls: {
    yaml: 'record.calls',
    // Not to record is what lets nobody see more.
    stored: (ours, stored) => ours && stored,
    schema: z.boolean(),
    default: true,
    describe: 'Whether the calls that bridges tell of are kept.',
  },
  recordInputBytes: {
    yaml: 'record.input_bytes',
    stored: Math.min,
    schema: z.int().min(0).max(MAX_DETAIL_BYTES),
    default: 64 * 1024,
    describe: 'How large an input may be in a record, in bytes; a larger one is a digest alone.',
  },
  recordOutputBytes: {
    yaml: 'record.output_bytes',
    stored: Math.min,
    schema: z.int().min(0).max(MAX_DETAIL_BYTES),
    default: 256 * 1024,
    describe: 'How large an output may be in a record, in bytes; a larger one is a digest alone.',
  },
} satisfies Partial<OptionTable<Options>>

/**
 * Each can be set by `III_RUNS_` and its key, and in the file. What may be run, and by whom, is never stored on the engine, where any
 * worker can write.
 */
export const options: OptionTable<Options> = withEnvironment<Options>('III_RUNS', {
  allowRun: {
    flag: '--allow-run',
    yaml: 'allow_run',
    schema: z.boolean(),
    default: false,
    describe: 'Let functions, and so MCP clients, run the declared jobs.',
  },
  hiddenPrefixes: HIDDEN_PREFIXES_OPTION,
  ...KEEP,
  ...RECORD,
  jobs: {
    yaml: 'jobs',
    schema: JobDeclarations,
    default: {},
    describe: 'The jobs: what each runs, with which input.',
  },
  allowMetadataJobs: {
    yaml: 'allow_metadata_jobs',
    schema: z.array(z.string().min(1)),
    default: [],
    describe: 'Jobs that functions declare in their metadata and that may be run over MCP.',
  },
  stateTimeoutMs: {
    yaml: 'state_timeout_ms',
    stored: 'any',
    schema: z.int().min(1).max(MAX_TIMEOUT_MS),
    default: 10_000,
    describe: 'Milliseconds that a call of the engine state may take.',
  },
})

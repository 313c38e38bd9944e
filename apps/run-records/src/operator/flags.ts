import type { OptionTable } from '@iii/sdk'
import { z } from 'zod'
import { Since } from '../contracts/runs.ts'
import { type Options, options } from '../options.ts'
import { Status } from '../record/status.ts'

/** What a command can be told beside its operands. */
export interface CommandFlags {
  json: boolean
  format: 'dot' | 'mermaid' | undefined
  input: Record<string, unknown> | undefined
  force: boolean
  wait: number
  limit: number
  cursor: string | undefined
  prefix: string | undefined
  kind: 'run' | 'call' | undefined
  job: string | undefined
  task: string | undefined
  status: z.output<typeof Status> | undefined
  since: string | undefined
  run: string | undefined
  against: string | undefined
}

/** All that a command line says, and what the worker would be told by the same environment and file. */
export type Flags = CommandFlags & Options

const text = { schema: z.string().min(1).optional(), default: undefined }
const MAX_WAIT_SECONDS = 86_400

const COMMAND_FLAGS: OptionTable<CommandFlags> = {
  json: { flag: '--json', schema: z.boolean(), default: false, describe: 'Print JSON, for scripts.' },
  format: {
    flag: '--format',
    schema: z.enum(['dot', 'mermaid']).optional(),
    default: undefined,
    describe: 'Draw all of it.',
    placeholder: 'dot|mermaid',
  },
  input: {
    flag: '--input',
    schema: z.record(z.string(), z.unknown(), { error: ({ input }) => toInputProblem(String(input)) }).optional(),
    default: undefined,
    describe: 'The input, a JSON object.',
    placeholder: 'JSON',
  },
  force: { flag: '--force', schema: z.boolean(), default: false, describe: 'Do it all the same.' },
  wait: {
    flag: '--wait',
    schema: z.number().min(0).max(MAX_WAIT_SECONDS),
    default: 0,
    describe: 'How long to wait for the lock.',
    placeholder: 'SECONDS',
  },
  limit: { flag: '--limit', schema: z.int().min(1).max(100), default: 20, describe: 'How many to list.' },
  cursor: { ...text, flag: '--cursor', describe: 'Goes on where a list has ended.', placeholder: 'CURSOR' },
  prefix: { ...text, flag: '--prefix', describe: 'Only tasks whose id begins with it.', placeholder: 'PREFIX' },
  kind: {
    flag: '--kind',
    schema: z.enum(['run', 'call']).optional(),
    default: undefined,
    describe: 'Only runs, or only calls of MCP clients.',
    placeholder: 'run|call',
  },
  job: { ...text, flag: '--job', describe: 'Only runs of this job.', placeholder: 'JOB' },
  task: { ...text, flag: '--task', describe: 'Only what has this task.', placeholder: 'TASK' },
  status: {
    flag: '--status',
    schema: Status.optional(),
    default: undefined,
    describe: `Only runs with this status: ${Status.options.join(', ')}.`,
    placeholder: 'STATUS',
  },
  since: {
    flag: '--since',
    schema: Since.optional(),
    default: undefined,
    describe: 'Only what began then or later: 2026-11-22T06:00:00Z, or with +01:00 in the place of Z.',
    placeholder: 'TIME',
  },
  run: { ...text, flag: '--run', describe: 'The run to compare. Otherwise the last one.', placeholder: 'RUN' },
  against: {
    ...text,
    flag: '--against',
    describe: 'The run to compare with. Otherwise the last that passed before.',
    placeholder: 'RUN',
  },
}

/** A command hears what the worker hears from environment and file; of its flags only its own. */
export const FLAGS: OptionTable<Flags> = { ...options, ...COMMAND_FLAGS }

function toInputProblem(text: string): string {
  try {
    JSON.parse(text)
    return 'must be an object'
  } catch {
    return 'is no JSON'
  }
}

import { z } from 'zod'
import { RunRecord } from '../record/run-record.ts'
import { givenName, leftOut } from './contract.ts'

export const RUN_JOB = 'runs::run_job'

/** What a client reads while running is off; at most 200 bytes. */
export const RUN_REFUSAL =
  'Running jobs is switched off: the operator starts the worker runs with --allow-run (iii-runs --allow-run). runs__list_tasks shows the jobs'

/** So long anybody waits for a run. */
export const MAX_WAIT_MS = 3_600_000

export const RunJobRequest = z.strictObject({
  job: givenName.describe('Name of a job, as list_tasks shows it'),
  input: z.record(z.string(), z.unknown()).optional().describe("Goes into the payload of the job's targets"),
  force: z.boolean().optional().describe('Compute everything again, whatever is cached'),
  wait_ms: z
    .int()
    .min(0)
    .max(MAX_WAIT_MS)
    .optional()
    .describe(
      'Answer after so long with the run as it is then; 0 at once. Otherwise when it has ended, or after an hour',
    ),
})
export type RunJobRequest = z.output<typeof RunJobRequest>

/** The record of the run; the MCP result is an error exactly when its `exit_code` is not 0. */
export const RunJobResponse = RunRecord.extend({ left_out: leftOut })
export type RunJobResponse = z.output<typeof RunJobResponse>

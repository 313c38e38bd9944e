import { compareText } from '@iii/protocol'
import type { z } from 'zod'
import { MAX_CACHED_BYTES } from '../cache/storable.ts'
import type { metadata as contract } from '../contracts/worker.ts'
import { MAX_TASKS } from '../jobs/plan.ts'
import type { Options } from '../options.ts'
import { SCHEMA_VERSION } from '../record/run-record.ts'
import type { StateKind } from './engine-facts.ts'
import { toFitting } from './result-limit.ts'
import type { Visibility } from './visibility.ts'

/** What this worker is and how it is set. The paths and payloads that an operator wrote stay with them. */
export function describeWorker(
  visibility: Visibility,
  options: Readonly<Options>,
  engine: { readonly state: StateKind; readonly allowRun: boolean },
): z.output<typeof contract.response> {
  const answer = {
    schema_version: SCHEMA_VERSION,
    experimental: true as const,
    jobs: [...visibility.jobs.keys()].sort(compareText),
    limits: { tasks_of_a_job: MAX_TASKS, cached_result_bytes: MAX_CACHED_BYTES },
    settings: {
      keep: { runs: options.keepRuns, calls: options.keepCalls, days: options.keepDays, bytes: options.keepBytes },
      record: {
        calls: options.recordCalls,
        input_bytes: options.recordInputBytes,
        output_bytes: options.recordOutputBytes,
      },
    },
    capabilities: { allow_run: engine.allowRun, calls_recorded: options.recordCalls, state: engine.state },
  }
  return toFitting(answer, ['jobs'], visibility.maxBytes)
}

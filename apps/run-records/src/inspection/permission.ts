import { DEFAULT_NAMESPACE, readMcpMetadata } from '@iii/protocol'
import type { AskEngine } from '@iii/sdk'
import { z } from 'zod'
import { RUN_JOB } from '../contracts/run-job.ts'

const Answer = z.object({ functions: z.array(z.object({ metadata: z.record(z.string(), z.unknown()).nullish() })) })

/** Whether clients may run jobs: as the worker that serves them was started, which need not be as whoever asks was. */
export async function allowsRun(ask: AskEngine, namespace: string = DEFAULT_NAMESPACE): Promise<boolean> {
  const answer = Answer.safeParse(await ask('engine::functions::info', { function_ids: [RUN_JOB], namespace }))
  return answer.data?.functions.some(({ metadata }) => readMcpMetadata(metadata ?? {}).expose === true) ?? false
}

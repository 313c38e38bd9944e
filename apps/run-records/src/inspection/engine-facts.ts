import { DEFAULT_NAMESPACE, readMcpMetadata } from '@iii/protocol'
import type { AskEngine } from '@iii/sdk'
import { z } from 'zod'
import { RUN_JOB } from '../contracts/run-job.ts'

/** Where the engine keeps state. */
export type StateKind = 'memory' | 'file' | 'redis' | 'unknown'

const Settings = z.object({
  value: z.object({
    adapter: z
      .object({ name: z.string(), config: z.object({ store_method: z.string().optional() }).nullish() })
      .nullish(),
  }),
})

/** Asks the engine where it keeps state, as far as it says. */
export async function findStateKind(ask: AskEngine): Promise<StateKind> {
  const settings = Settings.safeParse(await ask('configuration::get', { id: 'iii-state' }).catch(() => undefined))
  if (!settings.success) return 'unknown'
  const { name, config } = settings.data.value.adapter ?? { name: 'kv', config: undefined }
  if (name === 'redis') return 'redis'
  if (name !== 'kv') return 'unknown'
  return config?.store_method === 'file_based' ? 'file' : 'memory'
}

const Functions = z.object({ functions: z.array(z.object({ metadata: z.record(z.string(), z.unknown()).nullish() })) })

/** Whether clients may run jobs: as the worker that serves them was started, which need not be as whoever asks was. */
export async function allowsRun(ask: AskEngine, namespace: string = DEFAULT_NAMESPACE): Promise<boolean> {
  const answer = Functions.safeParse(await ask('engine::functions::info', { function_ids: [RUN_JOB], namespace }))
  return answer.data?.functions.some(({ metadata }) => readMcpMetadata(metadata ?? {}).expose === true) ?? false
}

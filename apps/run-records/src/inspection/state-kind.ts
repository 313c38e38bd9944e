import type { AskEngine } from '@iii/sdk'
import { z } from 'zod'

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

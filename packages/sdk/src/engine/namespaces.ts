import { z } from 'zod'
import type { Worker } from '../worker/worker.ts'

const ASK_MS = 5_000
const Rows = z.object({ workers: z.array(z.object({ id: z.string().nullish(), namespace: z.string().optional() })) })

/**
 * Whether the engine keeps workers of several namespaces apart, as told by the row that it shows of this worker.
 *
 * @returns undefined when it does not show one
 */
export async function askNamespaces(worker: Pick<Worker, 'trigger' | 'workerId'>): Promise<boolean | undefined> {
  const request = { function_id: 'engine::workers::list', payload: {}, timeoutMs: ASK_MS }
  const answer = Rows.safeParse(await worker.trigger(request).catch(() => undefined))
  const own = answer.data?.workers.find(({ id }) => id === worker.workerId)
  return own && own.namespace !== undefined
}

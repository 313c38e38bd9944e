import { DEFAULT_NAMESPACE, readInstance } from '@iii/protocol'
import { z } from 'zod'
import type { AskEngine } from '../engine/call.ts'
import { readOwner } from './card.ts'
import { formatOwner, type Owner } from './ownership.ts'

/** Whose a function is. */
export interface FunctionOwner {
  /** What its registration carries as `iii.instance`; undefined for one that no worker on this SDK made. */
  readonly instance: string | undefined
  /** `worker 'mcp' (id 5b1…, version 0.1.0, pid 4711 on host-a)`; `probably` before a name that the engine guesses. */
  readonly text: string
  /** Who stands behind the instance; undefined for one that does not say. */
  readonly owner: Owner | undefined
}

const Row = z.object({
  error: z.string().optional(),
  worker_name: z.string().default('unknown'),
  metadata: z.unknown().optional(),
})
const Rows = z.object({ functions: z.array(Row) })

/**
 * Asks the engine whose a function is, without calling it.
 *
 * @param namespace where it is looked for, and nowhere else; undefined for `default`
 * @returns undefined when nobody offers it
 * @throws InvocationError when the engine does not answer
 */
export async function findOwner(
  ask: AskEngine,
  functionId: string,
  namespace: string = DEFAULT_NAMESPACE,
): Promise<FunctionOwner | undefined> {
  const answer = await ask('engine::functions::info', { function_ids: [functionId], namespace })
  const [row] = Rows.parse(answer).functions
  if (row === undefined || row.error !== undefined) return undefined
  const instance = readInstance(row.metadata)
  const owner = instance === undefined ? undefined : await readOwner(ask, instance, namespace).catch(() => undefined)
  const text = owner === undefined ? `probably ${formatOwner({ name: row.worker_name })}` : formatOwner(owner)
  return { instance, text, owner }
}

import { z } from 'zod'
import type { AskEngine } from '../engine/call.ts'

/** The name that a worker wants, as it goes by another one meanwhile. */
export interface WantedName {
  /** Undefined where it has the name, or does not want it any more. */
  readonly wanted: string | undefined
  /** Goes by it from now on. The engine drops the connection if somebody has it. */
  takeBack(): void
}

const Rows = z.object({
  workers: z.array(z.object({ name: z.string().nullish(), namespace: z.string().optional() })),
})

/** Takes the name back where the engine lists nobody of that name. @returns whether it did */
export async function takeNameBack(ask: AskEngine, name: WantedName, namespace: string): Promise<boolean> {
  if (name.wanted === undefined) return false
  const { workers } = Rows.parse(await ask('engine::workers::list', {}))
  const { wanted } = name
  const isFree = workers.every((row) => row.name !== wanted || row.namespace !== namespace)
  if (wanted === undefined || !isFree) return false
  name.takeBack()
  return true
}

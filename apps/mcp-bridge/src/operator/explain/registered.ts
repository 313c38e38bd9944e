import { promptsFunctions, skillsFunctions } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { toKey } from '../../gate/sight.ts'
import { createRegistryClient } from '../../resources/registry.ts'

/** What the registry of an engine has; nothing where there is none. */
export interface Registered {
  /** The prompts by the function that renders them. */
  readonly promptsOf: ReadonlyMap<string, readonly string[]>
  /** The addresses that clients list and read, each with its name. */
  readonly resources: ReadonlyMap<string, string>
}

/** @param own the namespace of the bridge */
export async function findRegistered(engine: Worker, own: string, askMs: number): Promise<Registered> {
  const registry = createRegistryClient(engine)
  const [prompts, rows] = await Promise.all([
    registry.list(promptsFunctions.list, 'prompts', askMs),
    registry.list(skillsFunctions.resourcesList, 'resources', askMs),
  ])
  const promptsOf = new Map<string, string[]>()
  for (const { name, function_id: id, namespace } of prompts) {
    if (typeof id !== 'string') continue
    const isElsewhere = typeof namespace === 'string' && namespace !== own
    const key = toKey({ namespace: isElsewhere ? namespace : undefined, id })
    promptsOf.set(key, [...(promptsOf.get(key) ?? []), String(name)])
  }
  return { promptsOf, resources: new Map(rows.map(({ uri, name }) => [String(uri), String(name)])) }
}

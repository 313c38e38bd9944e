import { promptsFunctions, skillsFunctions } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { toHandler } from '../../prompts/prompt-handlers.ts'
import { createRegistryClient, type RegistryRow } from '../../resources/registry.ts'

/** What the registry of an engine has; nothing where there is none. */
export interface Registered {
  /** The prompts by the function that renders them. */
  readonly promptsOf: ReadonlyMap<string, readonly string[]>
  /** What clients list and read, by its address. */
  readonly resources: ReadonlyMap<string, RegistryRow & { readonly name: string }>
}

/** @param own the namespace of the bridge */
export async function findRegistered(engine: Worker, own: string, askMs: number): Promise<Registered> {
  const registry = createRegistryClient(engine)
  const [prompts, rows] = await Promise.all([
    registry.list(promptsFunctions.list, 'prompts', askMs),
    registry.list(skillsFunctions.resourcesList, 'resources', askMs),
  ])
  const promptsOf = new Map<string, string[]>()
  for (const row of prompts) {
    const [name, key] = toHandler(row, own)
    if (key !== undefined) promptsOf.set(key, [...(promptsOf.get(key) ?? []), String(name)])
  }
  return { promptsOf, resources: new Map(rows.map(toResource)) }
}

function toResource({ uri, name, skill }: Readonly<Record<string, unknown>>) {
  const row = { uri: String(uri), name: String(name), skill }
  return [row.uri, row] as const
}

import { readInstance } from '@iii/protocol'
import { z } from 'zod'
import type { AskEngine } from '../engine/call.ts'

/** Who has a function: we, nobody, somebody else, or the engine does not tell. */
export type Holder = 'us' | 'nobody' | 'unknown' | Stranger

export interface Stranger {
  /** The nonce of its registrations; undefined for a worker that has none. */
  readonly instance: string | undefined
  /** What the engine says whose it is: the name of some worker that ever registered the id. */
  readonly workerName: string
}

/** Asks the engine who has these functions; one answer for each id. @throws InvocationError when it does not answer. */
export type Look = (ids: readonly string[]) => Promise<ReadonlyMap<string, Holder>>

/** The engine tells of so many functions in one call. */
export const LOOK_AT_ONCE = 32
/** `functions::info` comes with schemas, a list does not, but goes through all functions of the engine. */
const LISTED_FROM = 64

const Row = z.object({
  function_id: z.string(),
  error: z.string().optional(),
  worker_name: z.string().default(''),
  metadata: z.unknown().optional(),
  /** Engines before 0.23 have none. */
  namespace: z.string().optional(),
})
const Rows = z.object({ functions: z.array(Row) })

export function createLook(ask: AskEngine, instance: string, namespace: string): Look {
  const read = async (functionId: string, payload: object) => Rows.parse(await ask(functionId, payload)).functions

  function toHolder({ error, metadata, worker_name: workerName }: z.infer<typeof Row>): Holder {
    if (error !== undefined) return error === 'not_found' ? 'nobody' : 'unknown'
    const owner = readInstance(metadata)
    return owner === instance ? 'us' : { instance: owner, workerName }
  }

  async function list(found: Map<string, Holder>, prefix: string, members: ReadonlySet<string>): Promise<void> {
    const rows = await read('engine::functions::list', { prefix, include_internal: true })
    for (const row of rows) {
      if (members.has(row.function_id) && (row.namespace ?? namespace) === namespace)
        found.set(row.function_id, toHolder(row))
    }
  }

  async function inspect(found: Map<string, Holder>, ids: readonly string[]): Promise<void> {
    const rows = await read('engine::functions::info', { function_ids: ids, namespace })
    for (const row of rows) found.set(row.function_id, toHolder(row))
  }

  return async (ids) => {
    const found = new Map<string, Holder>()
    for (const [prefix, members] of groupByNamespace(ids)) {
      if (members.size >= LISTED_FROM) await list(found, prefix, members)
    }
    // A list leaves out what is missing and what must not be seen alike, so what it lacks is asked for by name.
    const rest = ids.filter((id) => !found.has(id))
    for (let at = 0; at < rest.length; at += LOOK_AT_ONCE) await inspect(found, rest.slice(at, at + LOOK_AT_ONCE))
    return found
  }
}

function groupByNamespace(ids: readonly string[]): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>()
  for (const id of ids) {
    const end = id.indexOf('::')
    const prefix = end === -1 ? id : id.slice(0, end + 2)
    const members = groups.get(prefix) ?? new Set()
    groups.set(prefix, members.add(id))
  }
  return groups
}

import { findAwkwardArguments } from '@iii/protocol/json-schema'
import { isOfEngine } from '../engine/namespace.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

/** A function that is about to be registered. */
export interface RemarkedFunction {
  readonly id: string
  /** Of what it is called with. */
  readonly schema: JsonSchema | undefined
  readonly metadata: Readonly<Record<string, unknown>>
  /** That of its worker. */
  readonly instance: string
}

const MAX_NAMED = 3
/** What the engine asks for the rows of a stream that a worker keeps itself. */
const OF_OWN_STREAM = /^stream::(get|set|delete|list|list_groups)\(.+\)$/

/** What its author may want to know of a function that is registered all the same. */
export function toRemarks({ id, schema, metadata, instance }: RemarkedFunction): string[] {
  // What the SDK and our workers have for themselves bears their nonce.
  if (id.includes(instance)) return []
  const isHidden = metadata['mcp.expose'] === false || metadata['internal'] === true
  return [...remarkId(id), ...(isHidden ? [] : remarkArguments(id, schema))]
}

function remarkId(id: string): string[] {
  if (!isOfEngine(id) || OF_OWN_STREAM.test(id)) return []
  const loss = 'where the engine has a function of that id, everybody on it loses it to this worker, until it restarts'
  return [`'${id}' is an id of the engine: ${loss}; and no client is shown it. Give the function another id`]
}

function remarkArguments(id: string, schema: JsonSchema | undefined): string[] {
  const found = findAwkwardArguments(schema)
  if (found.length === 0) return []
  const named = found.slice(0, MAX_NAMED).map(({ name, reason }) => `${JSON.stringify(name.slice(0, 65))} (${reason})`)
  const more = found.length > MAX_NAMED ? ', …' : ''
  return [`some agents cannot use '${id}' because of the names of arguments: ${named.join(', ')}${more}`]
}

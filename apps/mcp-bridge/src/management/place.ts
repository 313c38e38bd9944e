import type { JsonObject } from '@iii/protocol'
import type { Place, Sight } from '../gate/sight.ts'
import { readText } from './tool-table.ts'

/** Reads where the function is that a client names. @returns the text for the client when it is nowhere that this bridge shows */
export function readPlace(input: JsonObject, sight: Sight): Place | string {
  if (input['namespace'] === undefined) return { namespace: undefined }
  const namespace = readText(input, 'namespace')
  if (namespace === undefined) return 'Invalid params: namespace must be the name of a namespace, for example orders'
  return sight.find(namespace) ?? `Namespace '${namespace.slice(0, 64).toWellFormed()}' is not shown on this server`
}

import { readMcpMetadata } from '@iii/protocol'
import { toSectionUri } from '../gate/section-uri.ts'

/** A function of the engine, as far as addresses depend on it. */
export interface FunctionRow {
  readonly id: string
  readonly metadata: unknown
}

/**
 * Follows which functions there are.
 *
 * @returns takes in all of them, and hands out the addresses of resources behind those that came, went or say something else of
 *   themselves; none the first time
 */
export function createFunctionDiff(): (rows: readonly FunctionRow[]) => Set<string> {
  let known: ReadonlyMap<string, string> | undefined
  return (rows) => {
    const before = known
    const now = new Map(rows.map(({ id, metadata }) => [id, JSON.stringify(metadata) ?? '']))
    known = now
    const touched = new Set<string>()
    if (before === undefined) return touched
    for (const id of new Set([...before.keys(), ...now.keys()])) {
      if (before.get(id) === now.get(id)) continue
      for (const uri of toAddresses(id, [before.get(id), now.get(id)])) touched.add(uri)
    }
    return touched
  }
}

/** A function renders the section under its id, and the resource that it declares. */
function* toAddresses(id: string, metadata: readonly (string | undefined)[]): Iterable<string> {
  const section = toSectionUri(id)
  if (section !== undefined) yield section
  for (const text of metadata) {
    const declared = text && readMcpMetadata(JSON.parse(text)).resource?.uri
    if (declared) yield declared
  }
}

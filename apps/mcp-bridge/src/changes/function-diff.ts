import { readMcpMetadata } from '@iii/protocol'
import { toSectionUri } from '../gate/section-uri.ts'
import { toOneSpelling } from '../resources/declared/table.ts'

/** A function of the engine, as far as addresses depend on it. */
export interface FunctionRow {
  readonly id: string
  readonly metadata: unknown
}

/**
 * Follows which functions there are.
 *
 * @returns takes in all of them, and hands out the addresses of resources behind those that came, went or say something else of
 *   themselves, each with the functions that it was and is; none the first time
 */
export function createFunctionDiff(): (rows: readonly FunctionRow[]) => Map<string, FunctionRow[]> {
  let known: ReadonlyMap<string, string> | undefined
  return (rows) => {
    const before = known
    const now = new Map(rows.map(({ id, metadata }) => [id, JSON.stringify(metadata) ?? '']))
    known = now
    const touched = new Map<string, FunctionRow[]>()
    if (before === undefined) return touched
    for (const id of new Set([...before.keys(), ...now.keys()])) {
      if (before.get(id) === now.get(id)) continue
      const versions = [before.get(id), now.get(id)].flatMap((text) => toVersion(id, text))
      for (const uri of toAddresses(id, versions)) touched.set(uri, [...(touched.get(uri) ?? []), ...versions])
    }
    return touched
  }
}

function toVersion(id: string, text: string | undefined): FunctionRow[] {
  if (text === undefined) return []
  return [{ id, metadata: text === '' ? undefined : (JSON.parse(text) as unknown) }]
}

/** A function renders the section under its id, and the resource that it declares. */
function* toAddresses(id: string, versions: readonly FunctionRow[]): Iterable<string> {
  const section = toSectionUri(id)
  if (section !== undefined) yield section
  const declared = versions.flatMap(({ metadata }) => readMcpMetadata(metadata).resource?.uri ?? [])
  yield* new Set(declared.map(toOneSpelling))
}

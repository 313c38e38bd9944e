import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { Binding } from '@iii/sdk'
import { isObject, type JsonObject } from '../mcp/rpc.ts'

/** Where the functions of bindings are, if in other namespaces than the bridge. */
export interface Places {
  /** The engine tells of a binding. */
  note(binding: Binding): void
  /** What another bridge is told of them. */
  format(): JsonObject
  /** Takes in what another bridge tells. */
  learn(hint: unknown): void
  /** Adds what is known to all bindings that there are, and forgets the others. */
  add(rows: readonly Binding[]): Binding[]
}

export function createPlaces(own: string = DEFAULT_NAMESPACE): Places {
  let known: ReadonlyMap<string, string> = new Map()

  return {
    note({ id, namespace = own }) {
      known = new Map([...known, [id, namespace]])
    },
    format() {
      const elsewhere = [...known].filter(([, namespace]) => namespace !== own)
      return elsewhere.length === 0 ? {} : { namespaces: Object.fromEntries(elsewhere) }
    },
    learn(hint) {
      const told = isObject(hint) && isObject(hint['namespaces']) ? Object.entries(hint['namespaces']) : []
      known = new Map([...known, ...told.filter((entry): entry is [string, string] => typeof entry[1] === 'string')])
    },
    add(rows) {
      known = new Map(rows.flatMap(({ id }) => (known.has(id) ? [[id, known.get(id) ?? own] as const] : [])))
      return rows.map((row) => (known.has(row.id) ? { ...row, namespace: known.get(row.id) } : row))
    },
  }
}

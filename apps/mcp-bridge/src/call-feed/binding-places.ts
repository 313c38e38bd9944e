import { DEFAULT_NAMESPACE, isRecord, type JsonObject } from '@iii/protocol'
import type { Binding } from '@iii/sdk'

/** Where the functions of bindings are. Only the bridge that the engine tells of bindings knows it by itself. */
export interface BindingPlaces {
  /** The engine tells of a binding. */
  note(binding: Binding): void
  /** What another bridge is told of them. */
  format(): JsonObject
  /** Takes in what another bridge tells. */
  learn(hint: unknown): void
  /**
   * Adds what is known to all bindings that there are, and forgets the others. Of those of one function, where the place of any is known, the
   * others are left out: they are bound to the bridges of another namespace, where a function of the same id is.
   */
  add(rows: readonly Binding[]): Binding[]
}

export function createBindingPlaces(own: string = DEFAULT_NAMESPACE): BindingPlaces {
  let known: ReadonlyMap<string, string> = new Map()

  return {
    note({ id, namespace = own }) {
      known = new Map([...known, [id, namespace]])
    },
    format() {
      return { namespaces: Object.fromEntries(known) }
    },
    learn(hint) {
      const told = isRecord(hint) && isRecord(hint['namespaces']) ? Object.entries(hint['namespaces']) : []
      known = new Map([...known, ...told.filter((entry): entry is [string, string] => typeof entry[1] === 'string')])
    },
    add(rows) {
      known = new Map(rows.flatMap(({ id }) => (known.has(id) ? [[id, known.get(id) ?? own] as const] : [])))
      const told = new Set(rows.flatMap(({ id, function_id }) => (known.has(id) ? [function_id] : [])))
      return rows.flatMap((row) => {
        if (known.has(row.id)) return [{ ...row, namespace: known.get(row.id) }]
        return told.has(row.function_id) ? [] : [row]
      })
    },
  }
}

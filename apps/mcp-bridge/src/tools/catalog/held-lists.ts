import type { McpCall } from '../../mcp/call.ts'
import { followsReferences } from '../../mcp/era.ts'
import { type ReadyResult, readyMembers } from '../../mcp/rpc.ts'

/** How a list is written: for clients that follow no references, or with what a schema repeats kept once under `$defs`. */
export type ListForm = 'inlined' | 'shared'
/** The list as it goes out. */
export type ReadyForms = Readonly<Record<ListForm, ReadyResult>>

export function toListForm(call: Pick<McpCall, 'revision'>): ListForm {
  return followsReferences(call) ? 'shared' : 'inlined'
}

/** The lists of those that a grant narrows, as they go out: where they are long, not of all of them. */
export interface HeldLists {
  /** @param view whose list it is */
  get(view: object, make: () => ReadyForms): ReadyForms
  has(view: object): boolean
  /** Nobody asks for its list any more. */
  drop(view: object): void
  clear(): void
}

/** So many characters of them are kept; of what is more, the ones that were not asked for the longest are made again. */
const MAX_LENGTH = 64 * 1024 * 1024

export function createHeldLists(maxLength = MAX_LENGTH): HeldLists {
  const kept = new Map<object, ReadyForms>()
  let length = 0

  function drop(view: object): void {
    const forms = kept.get(view)
    if (forms === undefined) return
    kept.delete(view)
    length -= lengthOf(forms)
  }

  return {
    get(view, make) {
      const known = kept.get(view)
      const forms = known ?? make()
      kept.delete(view)
      kept.set(view, forms)
      length += known === undefined ? lengthOf(forms) : 0
      for (const oldest of kept.keys()) {
        if (length <= maxLength || oldest === view) break
        drop(oldest)
      }
      return forms
    },
    has: (view) => kept.has(view),
    drop,
    clear() {
      kept.clear()
      length = 0
    },
  }
}

function lengthOf({ inlined, shared }: ReadyForms): number {
  const lengths = [...new Set([inlined, shared])].map((form) => readyMembers(form)?.length ?? 0)
  return lengths.reduce((sum, length) => sum + length, 0)
}

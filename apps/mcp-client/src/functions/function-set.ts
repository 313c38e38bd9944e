import { compareFunctions } from '../catalog/function-changes.ts'
import type { ToolFunction } from '../catalog/received-tool.ts'

/** The functions of a server on the engine. */
export interface FunctionSet {
  readonly ids: readonly string[]
  /** Registers what is new, replaces what is another one, takes back what is gone; the rest is not touched. */
  apply(functions: readonly ToolFunction[]): void
}

export interface FunctionSetOptions {
  register(fn: ToolFunction): OfferedFunction
  /** Something was registered or taken back. */
  onChange(): void
}

export interface OfferedFunction {
  replace(fn: ToolFunction): void
  unregister(): void
}

export function createFunctionSet({ register, onChange }: FunctionSetOptions): FunctionSet {
  const offered = new Map<string, { fn: ToolFunction; readonly offer: OfferedFunction }>()

  return {
    get ids() {
      return [...offered.keys()]
    },
    apply(functions) {
      const { added, changed, gone } = compareFunctions(
        [...offered.values()].map(({ fn }) => fn),
        functions,
      )
      for (const { id } of gone) {
        offered.get(id)?.offer.unregister()
        offered.delete(id)
      }
      for (const fn of changed) {
        const entry = offered.get(fn.id)
        entry?.offer.replace(fn)
        if (entry !== undefined) entry.fn = fn
      }
      for (const fn of added) offered.set(fn.id, { fn, offer: register(fn) })
      if (added.length + changed.length + gone.length > 0) onChange()
    },
  }
}

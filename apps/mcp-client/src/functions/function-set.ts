import { compareFunctions } from '../catalog/function-changes.ts'
import type { ToolFunction } from '../catalog/received-tool.ts'

/** The functions of a server on the engine. */
export interface FunctionSet {
  readonly ids: readonly string[]
  has(id: string): boolean
  /** Registers what is new, replaces what is another one, takes back what is gone; the rest is not touched. */
  apply(functions: readonly ToolFunction[]): void
}

export interface FunctionSetOptions {
  register(fn: ToolFunction): OfferedFunction
  /** Something was registered or taken back. */
  onChange(): void
  /** The engine cannot be told of this one. */
  onProblem(fn: ToolFunction, error: unknown): void
}

export interface OfferedFunction {
  replace(fn: ToolFunction): void
  unregister(): void
}

export function createFunctionSet({ register, onChange, onProblem }: FunctionSetOptions): FunctionSet {
  const offered = new Map<string, { fn: ToolFunction; readonly offer: OfferedFunction }>()

  function replace(fn: ToolFunction): void {
    const entry = offered.get(fn.id)
    entry?.offer.replace(fn)
    if (entry !== undefined) entry.fn = fn
  }

  /** One that cannot be registered costs the others nothing. */
  function attempt(fn: ToolFunction, work: () => void): void {
    try {
      work()
    } catch (error) {
      onProblem(fn, error)
    }
  }

  return {
    get ids() {
      return [...offered.keys()]
    },
    has: (id) => offered.has(id),
    apply(functions) {
      const { added, changed, gone } = compareFunctions(
        [...offered.values()].map(({ fn }) => fn),
        functions,
      )
      for (const { id } of gone) {
        offered.get(id)?.offer.unregister()
        offered.delete(id)
      }
      for (const fn of changed) attempt(fn, () => replace(fn))
      for (const fn of added) attempt(fn, () => void offered.set(fn.id, { fn, offer: register(fn) }))
      if (added.length + changed.length + gone.length > 0) onChange()
    },
  }
}

/** Kinds of both versions of zod that call what their author wrote, which may answer with a promise. */
const CALLING: readonly unknown[] = ['custom', 'promise', 'function', 'ZodEffects', 'ZodPromise', 'ZodFunction']
/** In place of types, these have functions that give them: `shape` of zod 3, `getter` of a lazy type. */
const GIVING: readonly string[] = ['shape', 'getter']

/** Whether a zod type may take longer than a turn to look at a value: one that holds a check or a transformation of its author. */
export function isAsynchronous(part: unknown, known = new Set<unknown>()): boolean {
  if (typeof part !== 'object' || part === null || known.has(part)) return false
  known.add(part)
  const definition = definitionOf(part)
  if (definition === undefined) return Object.values(part).some((each) => isAsynchronous(each, known))
  const { type, typeName, check } = definition
  if ('transform' in definition || [type, typeName, check].some((kind) => CALLING.includes(kind))) return true
  return Object.entries(definition).some(([key, value]) => {
    const isGiving = GIVING.includes(key) && typeof value === 'function'
    return isAsynchronous(isGiving ? (value as () => unknown)() : value, known)
  })
}

/** Of a type or a check of zod 4, or a type of zod 3; undefined for a list or an object of these. */
function definitionOf(part: object): Readonly<Record<string, unknown>> | undefined {
  if ('_zod' in part) return (part._zod as { def: Record<string, unknown> }).def
  return '_def' in part ? (part._def as Record<string, unknown>) : undefined
}

/** Levels of arrays and objects that are kept, the outermost counted: with those of the message around it the engine still reads it. */
const MAX_VALUE_DEPTH = 100

/** What stands where a value lay too deep. */
export const TOO_DEEP = '[nested too deeply]'

export interface TextMapping {
  readonly text: (text: string) => string
  readonly number?: ((number: number) => number | string) | undefined
  /** Told that something lay deeper than {@link MAX_VALUE_DEPTH} and is left out. */
  readonly onDeep?: (() => void) | undefined
}

/**
 * Maps every text of a JSON value, keys too. What does not change is the same object afterwards, so that most values cost no memory.
 *
 * @param value what `JSON.parse` gave, of any depth
 */
export function mapTexts(value: unknown, mapping: TextMapping, depth = 1): unknown {
  if (typeof value === 'string') return mapping.text(value)
  if (typeof value === 'number') return mapNumber(value, mapping)
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_VALUE_DEPTH) {
    mapping.onDeep?.()
    return TOO_DEEP
  }
  return Array.isArray(value) ? mapItems(value, mapping, depth) : mapFields(value, mapping, depth)
}

/** JSON has larger numbers than this process, which makes them infinite: nobody could be told of those. */
function mapNumber(value: number, { number }: TextMapping): number | string | null {
  if (!Number.isFinite(value)) return null
  return number === undefined ? value : number(value)
}

function mapItems(items: readonly unknown[], mapping: TextMapping, depth: number): readonly unknown[] {
  const mapped = items.map((item) => mapTexts(item, mapping, depth + 1))
  return mapped.every((item, at) => Object.is(item, items[at])) ? items : mapped
}

function mapFields(fields: object, mapping: TextMapping, depth: number): object {
  let isSame = true
  const entries = Object.entries(fields).map(([key, value]) => {
    const mapped = [mapping.text(key), mapTexts(value, mapping, depth + 1)] as const
    isSame &&= mapped[0] === key && Object.is(mapped[1], value)
    return mapped
  })
  // From entries, because a key may be `__proto__`.
  return isSame ? fields : Object.fromEntries(entries)
}

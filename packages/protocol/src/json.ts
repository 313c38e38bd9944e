/** A JSON object. */
export type JsonObject = Record<string, unknown>

/** Tells a JSON object from everything else, arrays included. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads an own key: what a prototype carries was not said by whoever wrote the object. */
export function readOwn(record: Readonly<JsonObject>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/**
 * Writes a value as JSON without spaces, in well-formed Unicode.
 *
 * @returns undefined for what JSON cannot hold: a cycle, a bigint, a function, undefined, more levels than the stack has room for.
 *
 * @example
 * toJsonText({ a: 1 }) // '{"a":1}'
 */
export function toJsonText(value: unknown): string | undefined {
  return write(value, undefined)
}

/** The same for people, indented by two spaces. */
export function toPrettyJsonText(value: unknown): string | undefined {
  return write(value, 2)
}

function write(value: unknown, indent: number | undefined): string | undefined {
  try {
    const json: string | undefined = JSON.stringify(value, null, indent)
    if (json === undefined || !json.includes(halfPair)) return json
    // Keys that differed may be the same now, and JSON has each once.
    return JSON.stringify(JSON.parse(mend(json)), null, indent)
  } catch {
    return undefined
  }
}

/**
 * Gives a JSON value with every text in it well-formed: itself, or a copy where something was mended, or has U+FFFD already.
 *
 * @param json as {@link toJsonText} has it
 * @returns undefined for what JSON cannot hold.
 */
export function toWellFormedJson<T>(value: T, json = toJsonText(value)): T | undefined {
  if (json === undefined) return undefined
  // What was mended has this character.
  return json.includes('\ufffd') ? (JSON.parse(json) as T) : value
}

/** `JSON.stringify` escapes halves of surrogate pairs, and of all surrogates only those. */
const halfPair = '\\ud'
/** An escaped backslash is taken whole, so that the text `\ud800` (six characters) stays what it is. */
const escapes = /\\(?:\\|ud[89a-f][0-9a-f]{2})/g

function mend(json: string): string {
  return json.replace(escapes, (found) => (found === '\\\\' ? found : '\ufffd'))
}

/** Bounds for JSON that a stranger sent. */
export interface JsonLimits {
  /** Levels of arrays and objects, the outermost counted. @default 64 */
  readonly maxDepth?: number
  /** Values of every kind, the outermost counted. @default 20000 */
  readonly maxNodes?: number
}

/**
 * Checks that a parsed JSON value is neither too deep nor too wide to be walked and written again. Walks without recursion, so that
 * a hundred thousand levels (which `JSON.parse` accepts and `JSON.stringify` does not) are no danger; a cycle is too deep, or too wide.
 *
 * @returns what is wrong, or undefined.
 *
 * @example
 * checkDepth([[[]]], { maxDepth: 2 }) // 'nested too deeply (more than 2 levels)'
 */
export function checkDepth(value: unknown, limits: JsonLimits = {}): string | undefined {
  const { maxDepth = 64, maxNodes = 20_000 } = limits
  let nodes = 1
  let level = [value].filter(isContainer)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return `nested too deeply (more than ${maxDepth} levels)`
    const next: object[] = []
    for (const container of level) {
      const items = toItems(container)
      nodes += items.length
      if (nodes > maxNodes) return `too large (more than ${maxNodes} values)`
      addContainers(items, next)
    }
    level = next
  }
  return undefined
}

/**
 * Finds an integer that JSON numbers cannot carry exactly (beyond ±(2^53 − 1)): it has changed already, and has to be sent as a string.
 * Large floats such as 6.02e23 are integers too and are found as well.
 *
 * @param value what `JSON.parse` gave (no cycles); run {@link checkDepth} first, since each level takes room on the stack.
 * @returns the path of the first one, `$` being the value itself; undefined when there is none.
 *
 * @example
 * findUnsafeInteger({ items: [{ id: 9007199254740993 }] }) // '$.items[0].id'
 */
export function findUnsafeInteger(value: unknown): string | undefined {
  const steps = findSteps(value)
  return steps && `$${steps.reverse().join('')}`
}

/** @returns the way to an integer that is not safe, its last step first */
function findSteps(value: unknown): string[] | undefined {
  if (!isContainer(value)) return Number.isInteger(value) && !Number.isSafeInteger(value) ? [] : undefined
  for (const [index, item] of toItems(value).entries()) {
    const steps = findSteps(item)
    if (steps === undefined) continue
    steps.push(Array.isArray(value) ? `[${index}]` : formatKey(Object.keys(value)[index] ?? ''))
    return steps
  }
  return undefined
}

function formatKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function addContainers(items: readonly unknown[], containers: object[]): void {
  for (const item of items) if (isContainer(item)) containers.push(item)
}

function toItems(container: object): readonly unknown[] {
  return Array.isArray(container) ? container : Object.values(container)
}

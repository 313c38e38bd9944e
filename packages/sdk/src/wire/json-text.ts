import { Fault, isRecord, toPlainMessage } from '@iii/protocol'
import { describeView, explainUnwritable, TEXT_OF_BYTES } from './json-problem.ts'
import type { Outgoing } from './outgoing.ts'

/** The engine reads a single WebSocket frame of at most this size; a longer one costs the connection. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024

/** Levels of nesting the engine reads inside `data`, `result` or `metadata`; a deeper frame vanishes without an answer. */
export const MAX_JSON_DEPTH = 126

/**
 * Writes a value as JSON text that the engine surely reads: lone surrogates become U+FFFD.
 *
 * @param what names the value in the error text, e.g. `payload of orders::get`
 * @returns undefined for undefined, which JSON leaves out
 * @throws Fault `invalid_input` for cycles, bigints, numbers that are not finite, what JSON keeps nothing of (a promise that was not awaited, a
 * Map, a Set, an Error, a Response, a function) and nesting over {@link MAX_JSON_DEPTH}.
 */
export function writeJson(value: unknown, what: string): string | undefined {
  const text = stringify(value, what)
  if (text === undefined) return refuseLeftOut(value, what)
  // The value itself is looked at only if the text says that it may be worth it: JSON writes NaN and Infinity as null, a promise as {}, bytes by their indexes.
  if (SUSPECT.some((part) => text.includes(part)) || hasManyBrackets(text)) {
    const flaw = findFlaw(value, 1)
    if (flaw !== undefined) throw new Fault('invalid_input', `The ${what} ${formatFlaw(flaw)}`)
  }
  return text.includes('\\ud') ? repairSurrogates(text) : text
}

const SUSPECT = ['null', '{}', '{"0":']

/** Writes names, which are texts or hold nothing else, as the engine surely reads them. */
export function writeNames(names: string | object): string {
  const text = JSON.stringify(names)
  return text.includes('\\ud') ? repairSurrogates(text) : text
}

/** @throws Fault `too_large` when the frame is over what the engine reads. */
export function checkFrameSize(message: Outgoing, what: string): void {
  if (message.length <= MAX_FRAME_BYTES / 3) return
  const bytes = typeof message === 'string' ? Buffer.byteLength(message) : message.length
  if (bytes > MAX_FRAME_BYTES) {
    throw new Fault(
      'too_large',
      `The ${what} makes a message of ${bytes} bytes; the engine takes at most ${MAX_FRAME_BYTES}`,
    )
  }
}

/** @throws Fault `invalid_input` for what nobody sends on purpose, such as a function that was not called. */
function refuseLeftOut(value: unknown, what: string): undefined {
  if (value === undefined || (typeof value === 'object' && value !== null)) return undefined
  const advice = typeof value === 'function' ? 'call it' : 'take its description'
  throw new Fault('invalid_input', `The ${what} is a ${typeof value}, of which JSON keeps nothing: ${advice}`)
}

const TOO_DEEP = `is nested deeper than ${MAX_JSON_DEPTH} levels, which the engine does not read`

function stringify(value: unknown, what: string): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Fault('invalid_input', `The ${what} ${TOO_DEEP}`)
    }
    throw new Fault('invalid_input', `The ${what} ${findObstacle(value) ?? explainUnwritable(error)}`)
  }
}

/** Of what `JSON.stringify` refuses, what is told with its place: a BigInt. */
function findObstacle(value: unknown): string | undefined {
  try {
    const flaw = findFlaw(value, 1)
    return flaw?.held === undefined ? undefined : formatFlaw(flaw)
  } catch {
    return undefined
  }
}

/**
 * `JSON.stringify` escapes exactly the surrogates that have no partner, as `\udXXX`; the same letters after an escaped
 * backslash are somebody's text.
 */
function repairSurrogates(text: string): string {
  const parts = text.split('\\ud')
  let repaired = parts[0] ?? ''
  for (let index = 1; index < parts.length; index++) {
    const part = parts[index] ?? ''
    const isText = countBackslashesAtEnd(parts[index - 1] ?? '') % 2 === 1
    repaired += isText ? `\\ud${part}` : `\ufffd${part.slice(3)}`
  }
  return repaired
}

function countBackslashesAtEnd(text: string): number {
  let count = 0
  while (text.charCodeAt(text.length - 1 - count) === 0x5c) count++
  return count
}

/** Whether there are enough brackets (those in strings count too) for more than {@link MAX_JSON_DEPTH} levels. */
function hasManyBrackets(text: string): boolean {
  if (text.length <= 2 * MAX_JSON_DEPTH) return false
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++count > MAX_JSON_DEPTH) return true
    }
  }
  return false
}

interface Flaw {
  /** What is there; undefined for nesting that is too deep. */
  held: string | undefined
  reason: string
  /** The way to it, innermost key first. */
  keys: string[]
}

/** What JSON writes as an empty object, by what `Object.prototype.toString` calls it, and what its author may have meant. */
const LOST: ReadonlyMap<string, readonly [held: string, advice: string]> = new Map([
  ['Promise', ['a Promise', 'await it']],
  ['Map', ['a Map', 'Object.fromEntries makes an object of it']],
  ['Set', ['a Set', 'Array.from makes a list of it']],
  ['Error', ['an Error', 'throw it, or take its message']],
  ['DOMException', ['an Error', 'throw it, or take its message']],
  ['Response', ['a Response', 'await its json() or its text()']],
  ['Headers', ['Headers', 'Object.fromEntries makes an object of them']],
  ['URLSearchParams', ['URLSearchParams', 'Object.fromEntries makes an object of them']],
  ['FormData', ['FormData', 'Object.fromEntries makes an object of them']],
  ['ArrayBuffer', ['an ArrayBuffer', TEXT_OF_BYTES]],
  ['Blob', ['a Blob', 'await its text()']],
  ['ReadableStream', ['a ReadableStream', 'read it first']],
  ['Generator', ['a generator', 'Array.from makes a list of it']],
  ['Map Iterator', ['an iterator', 'Array.from makes a list of it']],
  ['Set Iterator', ['an iterator', 'Array.from makes a list of it']],
  ['Array Iterator', ['an iterator', 'Array.from makes a list of it']],
  ['RegExp', ['a RegExp', 'its source is a text']],
  ['Request', ['a Request', 'await its json() or its text()']],
  ['AsyncGenerator', ['a generator', 'make a list of what it yields']],
])

/** Walks a value as JSON shows it. `JSON.stringify` has passed it already, so it has an end. */
function findFlaw(value: unknown, depth: number): Flaw | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : toNoNumber(value)
  if (typeof value === 'bigint')
    return { held: 'a BigInt', reason: 'which JSON does not have: String(…) makes a text of it', keys: [] }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > MAX_JSON_DEPTH) return { held: undefined, reason: TOO_DEEP, keys: [] }
  if (Array.isArray(value)) return findFlawInItems(value, depth)
  if ('toJSON' in value && typeof value.toJSON === 'function') return findFlawInWritten(value, value.toJSON(), depth)
  if ('_readableState' in value || '_writableState' in value) return toStream()
  return findFlawInFields(value as Record<string, unknown>, depth)
}

function toNoNumber(value: number): Flaw {
  return { held: `${value}`, reason: 'which is not a JSON number', keys: [] }
}

/** A stream of Node, of which JSON shows its innards. */
function toStream(): Flaw {
  return { held: 'a stream', reason: 'of which JSON keeps nothing that was sent: read it first', keys: [] }
}

/** Of what has no fields that JSON shows; undefined for what is an empty object indeed. */
function findLoss(value: object): Flaw | undefined {
  const lost = LOST.get(Object.prototype.toString.call(value).slice('[object '.length, -1))
  if (lost === undefined) return undefined
  const [held, advice] = lost
  // Whoever reads this may learn nothing else of what went wrong.
  const message = value instanceof Error && value.message !== '' ? ` (${toPlainMessage(value.message)})` : ''
  return { held: `${held}${message}`, reason: `of which JSON keeps nothing: ${advice}`, keys: [] }
}

/** What `toJSON` returned is written as it is, also when it has a `toJSON` of its own. */
function findFlawInWritten(value: object, written: unknown, depth: number): Flaw | undefined {
  if (written === null && value instanceof Date) return { ...INVALID_DATE, keys: [] }
  return isRecord(written) ? findFlawInFields(written, depth) : findFlaw(written, depth)
}

const INVALID_DATE = { held: 'an invalid Date', reason: 'of which JSON makes null: write null where there is none' }

function findFlawInItems(items: readonly unknown[], depth: number): Flaw | undefined {
  for (let index = 0; index < items.length; index++) {
    const flaw = findFlaw(items[index], depth + 1)
    if (flaw === undefined) continue
    flaw.keys.push(`[${index}]`)
    return flaw
  }
  return undefined
}

function findFlawInFields(fields: Record<string, unknown>, depth: number): Flaw | undefined {
  if (ArrayBuffer.isView(fields)) return { ...describeView(fields), keys: [] }
  let isEmpty = true
  for (const key in fields) {
    if (!Object.hasOwn(fields, key)) continue
    isEmpty = false
    const flaw = findFlaw(fields[key], depth + 1)
    if (flaw === undefined) continue
    flaw.keys.push(`.${key}`)
    return flaw
  }
  return isEmpty ? findLoss(fields) : undefined
}

function formatFlaw({ held, reason, keys }: Flaw): string {
  if (held === undefined) return reason
  const path = keys.reverse().join('').replace(/^\./, '')
  return `holds ${held}${path === '' ? '' : ` at ${path}`}, ${reason}`
}

/** Values that never change, with the bytes of their JSON once somebody has asked for it. */
const kept = new WeakMap<object, Buffer | undefined>()

/**
 * Says that a value never changes from now on, so that a function that returns it again and again pays for its JSON once.
 *
 * @example
 * const list = keepJson({ orders: all })
 * worker.registerFunction('orders::list', () => list)
 */
export function keepJson<T extends object>(value: T): T {
  if (!kept.has(value)) kept.set(value, undefined)
  return value
}

/**
 * The JSON of a value that is kept, written once.
 *
 * @returns undefined for any other value
 * @throws Fault as {@link writeJson}
 */
export function toKeptBytes(value: unknown, what: string): Buffer | undefined {
  if (typeof value !== 'object' || value === null || !kept.has(value)) return undefined
  const known = kept.get(value)
  if (known !== undefined) return known
  const text = writeJson(value, what)
  const bytes = text === undefined ? undefined : Buffer.from(text)
  kept.set(value, bytes)
  return bytes
}

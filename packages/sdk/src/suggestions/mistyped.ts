import { Fault, isRecord, MAX_TIMEOUT_MS } from '@iii/protocol'
import { findNearest } from './nearest.ts'

/** Every name that is read; the compiler sees to it that none is left out. */
export type NamesOf<T> = Readonly<Record<keyof T, true>>

/**
 * Refuses a name that is nearly one of those that are read, in plain JavaScript: it would be passed over without a word. What resembles
 * nothing may be meant for somebody else.
 *
 * @param names has those that are read for keys
 * @param meant what names that are right elsewhere are here
 * @throws Fault `invalid_input` that says which was meant, or that what was given is no object at all
 */
export function refuseMistyped(
  what: string,
  given: object,
  names: object,
  meant: Readonly<Record<string, string>> = {},
): void {
  requireFields(what, given)
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(names, name)) continue
    const nearest = Object.hasOwn(meant, name) ? meant[name] : findMistyped(name, given, names)
    if (nearest === undefined) continue
    throw new Fault('invalid_input', `${what} has '${name}', which is not read; did you mean '${nearest}'?`)
  }
}

/** Who has given the right one as well did not mistype it. */
function findMistyped(name: string, given: object, names: object): string | undefined {
  return findNearest(
    name,
    Object.keys(names).filter((known) => !(known in given)),
  )
}

/** @throws Fault `invalid_input` for what is no object */
export function requireFields(what: string, given: unknown): void {
  if (isRecord(given)) return
  throw new Fault('invalid_input', `${what} takes its fields as an object, not as ${toKind(given)}`)
}

/** @throws Fault `invalid_input` for a field that is there and no text */
export function requireTexts<T extends object>(what: string, given: T, fields: readonly (keyof T & string)[]): void {
  for (const field of fields) {
    const value = given[field] ?? ''
    if (typeof value !== 'string') {
      throw new Fault('invalid_input', `${what} takes ${field} as a text, not as ${toKind(value)}`)
    }
  }
}

/** @throws Fault `invalid_input` for a field that is there and neither true nor false: a text such as 'no' would be a yes */
export function requireBooleans<T extends object>(what: string, given: T, fields: readonly (keyof T & string)[]): void {
  for (const field of fields) {
    const value: unknown = given[field] ?? false
    if (typeof value === 'boolean') continue
    throw new Fault('invalid_input', `${what} takes ${field} as true or false, not as ${toKind(value)}`)
  }
}

/** @throws Fault `invalid_input` for a field that is there and no number of milliseconds: a text or NaN would be as good as none, or as 1 */
export function requireMs<T extends object>(what: string, given: T, fields: readonly (keyof T & string)[]): void {
  for (const field of fields) {
    const value: unknown = given[field] ?? 0
    if (typeof value === 'number' && !Number.isNaN(value)) continue
    const kind = typeof value === 'number' ? 'NaN' : toKind(value)
    throw new Fault('invalid_input', `${what} takes ${field} as a number of milliseconds, not as ${kind}`)
  }
}

/** @throws Fault `invalid_input` for a field that is there and no time of a timer, which takes what it cannot count for a millisecond */
export function requireTimerMs<T extends object>(what: string, given: T, fields: readonly (keyof T & string)[]): void {
  for (const field of fields) {
    const value: unknown = given[field] ?? 1
    if (typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_MS) continue
    const right = `a number of milliseconds above zero, at most ${MAX_TIMEOUT_MS}`
    const shown = typeof value === 'number' ? value : toKind(value)
    throw new Fault('invalid_input', `${what} takes ${field} as ${right}, not as ${shown}`)
  }
}

/** @throws Fault `invalid_input` for what is there and cannot be called */
export function requireFunction(what: string, given: unknown): void {
  if (typeof given === 'function') return
  throw new Fault('invalid_input', `${what} takes a function, not ${toKind(given)}`)
}

/** @throws Fault `invalid_input` for a field that is there and cannot be called */
export function requireFunctions<T extends object>(
  what: string,
  given: T,
  fields: readonly (keyof T & string)[],
): void {
  for (const field of fields) {
    const value: unknown = given[field] ?? undefined
    if (value === undefined || typeof value === 'function') continue
    throw new Fault('invalid_input', `${what} takes ${field} as a function, not as ${toKind(value)}`)
  }
}

/**
 * @param words what is to be written, such as `(worker, options)`
 * @throws Fault `invalid_input` where the worker was forgotten
 */
export function requireWorker(what: string, worker: unknown, words: string): void {
  if (isRecord(worker) && typeof worker['trigger'] === 'function') return
  throw new Fault('invalid_input', `${what} takes the worker first: ${words}`)
}

/** @throws Fault `invalid_input` for a field that is there and no number above zero, such as NaN or a text */
export function requireBounds<T extends object>(what: string, given: T, fields: readonly (keyof T & string)[]): void {
  for (const field of fields) {
    const value: unknown = given[field] ?? 1
    if (typeof value === 'number' && value > 0) continue
    const shown = typeof value === 'number' ? value : toKind(value)
    throw new Fault('invalid_input', `${what} takes ${field} as a number above zero, not as ${shown}`)
  }
}

/** @example toKind([]) // 'a list' */
export function toKind(given: unknown): string {
  if (given === undefined || given === null) return String(given)
  if (Array.isArray(given)) return 'a list'
  return typeof given === 'object' ? 'an object' : `a ${typeof given}`
}

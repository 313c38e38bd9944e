import { findNearest } from './nearest.ts'

/** Every name that is read; the compiler sees to it that none is left out. */
export type ReadNames<T> = Readonly<Record<keyof T, true>>

/**
 * Refuses a name that would be passed over without a word, in plain JavaScript and in what is spread: the test would pass on another engine
 * than it says.
 *
 * @param meant what names that are right elsewhere, on the command line for example, are here
 * @throws TypeError that says which was meant, or that what was given is no object at all
 */
export function refuseUnread(
  what: string,
  given: unknown,
  names: Readonly<Record<string, true>>,
  meant: Readonly<Record<string, string>> = {},
): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`${what} takes its options as an object, not as ${toGivenText(given)}`)
  }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(names, name)) continue
    const all = Object.keys(names)
    const nearest = Object.hasOwn(meant, name) ? meant[name] : findNearest(name, all)
    throw new TypeError(`${what} has no option '${name}'${formatAdvice(nearest, all)}`)
  }
}

/** @throws TypeError for what cannot be called, which nobody would notice before there is something to hear */
export function requireListener(what: string, given: unknown): void {
  if (typeof given !== 'function')
    throw new TypeError(`${what} takes a function that is called with each, not ${toGivenText(given)}`)
}

export function formatAdvice(nearest: string | undefined, all: readonly string[]): string {
  return nearest === undefined ? `: it is one of ${all.join(', ')}` : `; did you mean '${nearest}'?`
}

/** @example toGivenText('0.23') // "'0.23'" */
export function toGivenText(given: unknown): string {
  if (typeof given === 'string') return `'${given}'`
  if (Array.isArray(given)) return 'a list'
  if (typeof given === 'function') return 'a function'
  return typeof given === 'object' && given !== null ? 'an object' : String(given)
}

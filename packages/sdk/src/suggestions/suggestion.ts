import { toTitle } from '@iii/protocol'
import { findNearest } from './nearest.ts'

/** What a schema has against a text. `values` are the words that it takes. */
export interface WordIssue {
  readonly path: readonly PropertyKey[]
  readonly values?: readonly unknown[]
}

/**
 * Goes on after what is wrong with a text that only certain words fit: `; did you mean 'strict'?`. Empty where none of them is near.
 *
 * @param words that an issue does not tell, because their type says it all: `true`, `off`
 */
export function suggestWord(issues: readonly WordIssue[], text: unknown, words: Iterable<string> = []): string {
  if (typeof text !== 'string') return ''
  const [first] = issues
  const right = (first?.values ?? []).filter((value) => typeof value === 'string')
  const nearest = first?.path.length === 0 ? findNearest(text, right.length > 0 ? right : words) : undefined
  return hint(nearest)
}

/**
 * Goes on after a name that is not there, so that whoever asked for it can go on too.
 *
 * @param nearest what may have been meant, see `findNearestFew`
 * @param all where all of them are
 *
 * @example
 * suggestNames(['orders__get', 'orders__list'], 'tools/list has all of them')
 * // '. Did you mean orders__get or orders__list? tools/list has all of them'
 */
export function suggestNames(nearest: readonly string[], all: string): string {
  const names = nearest.flatMap((name) => toTitle(name) ?? [])
  const last = names.at(-1)
  if (last === undefined) return `. ${all}`
  const others = names.slice(0, -1).join(', ')
  return `. Did you mean ${others === '' ? '' : `${others} or `}${last}? ${all}`
}

/** Goes on after a name that is not known: `; did you mean 'port'?`. Empty where none is near. */
export function hintNearest(name: string, known: Iterable<string>): string {
  return hint(findNearest(name, known))
}

function hint(nearest: string | undefined): string {
  return nearest === undefined ? '' : `; did you mean '${nearest}'?`
}

const MAX_TOLD = 5

/**
 * Says what there is, after a name that nothing has: the nearest one first.
 *
 * @example
 * suggestAmong('ordres', ['billing', 'orders']) // 'there are 2: orders, billing'
 */
export function suggestAmong(name: string, names: readonly string[]): string {
  if (names.length === 0) return 'there are none'
  const nearest = findNearest(name, names)
  const told = [...new Set([...(nearest === undefined ? [] : [nearest]), ...names])].slice(0, MAX_TOLD)
  const more = names.length > told.length ? ', …' : ''
  return names.length === 1 ? `there is ${told[0]}` : `there are ${names.length}: ${told.join(', ')}${more}`
}

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
  return nearest === undefined ? '' : `; did you mean '${nearest}'?`
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

import type { Issue } from '../schema/json-schema.ts'
import { findNearest } from './nearest.ts'

/**
 * Goes on after what is wrong with a text that only certain words fit: `; did you mean 'strict'?`. Empty where none of them is near.
 *
 * @param words that an issue does not tell, because their type says it all: `true`, `off`
 */
export function suggestWord(issues: readonly Issue[], text: unknown, words: Iterable<string> = []): string {
  if (typeof text !== 'string') return ''
  const [first] = issues as readonly (Issue & { values?: readonly unknown[] })[]
  const right = (first?.values ?? []).filter((value) => typeof value === 'string')
  const nearest = first?.path.length === 0 ? findNearest(text, right.length > 0 ? right : words) : undefined
  return nearest === undefined ? '' : `; did you mean '${nearest}'?`
}

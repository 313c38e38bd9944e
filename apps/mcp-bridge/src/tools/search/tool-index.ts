import { compareText } from '@iii/protocol'
import type { ToolEntry } from '../catalog/tool-entry.ts'
import { countWords } from './document.ts'
import { createPostings, type Postings } from './postings.ts'
import { createVisibleTexts, type VisibleTexts } from './visible-texts.ts'
import { type Match, matchWord } from './word-match.ts'
import { toQueryWords } from './words.ts'

/** What is read of a tool. */
export type IndexedTool = Pick<ToolEntry, 'name' | 'json'>

/**
 * Finds tools by words. It is kept up to date by what has changed alone, and asked in the name of somebody who sees some of them: what
 * they do not see is not found, and does not count for how others rank.
 */
export interface ToolIndex<T extends IndexedTool = ToolEntry> {
  /**
   * Takes in a list of tools in place of the one before, bit by bit, so that calls go on meanwhile.
   *
   * @param entries a tool that is the same object as before is not read again
   */
  update(entries: readonly T[]): Promise<void>
  /**
   * @param visible those that whoever asks sees, of what was taken in; the same array as before is not looked through again
   * @returns the best first; none that has less than a fifth of what was asked for
   */
  search(query: string, limit: number, visible: readonly T[]): ToolsFound<T>
}

export interface ToolsFound<T> {
  readonly tools: readonly T[]
  /** All that fit, also beyond the limit, in no order. */
  readonly fitting: readonly T[]
}

/** BM25 as in Robertson and Zaragoza, The Probabilistic Relevance Framework (2009): how soon it stops to count that a word is repeated, and how much is held against long texts. */
const K1 = 1.2
const B = 0.75
/** Of what was asked for, by the weight of its words. */
const MIN_COVERED = 1 / 5
/** Longer questions are cut. */
const MAX_QUERY_LENGTH = 1_024
const MAX_QUERY_WORDS = 32
/** So many tools are read before others have their turn. */
const SLICE = 100

export function createToolIndex<T extends IndexedTool = ToolEntry>(): ToolIndex<T> {
  let postings: Postings<T> = createPostings()
  let toView = createVisibleTexts(postings)
  let running: Promise<void> = Promise.resolve()

  async function take(entries: readonly T[]): Promise<void> {
    const kept = new Set(entries)
    const gone = [...postings.entries()].filter((entry) => !kept.has(entry))
    const isWorn = gone.length + postings.gone > entries.length / 2
    const target = isWorn ? createPostings<T>() : postings
    if (!isWorn) for (const entry of gone) postings.remove(entry)
    await addAll(target, entries)
    if (!isWorn) return
    postings = target
    toView = createVisibleTexts(postings)
  }

  return {
    update(entries) {
      running = running.then(() => take(entries))
      return running
    },
    search(query, limit, visible) {
      const view = toView(visible)
      const words = toQueryWords(query.slice(0, MAX_QUERY_LENGTH)).slice(0, MAX_QUERY_WORDS)
      const matches = words.map((word, at) => matchWord(word, { postings, view, isLast: at === words.length - 1 }))
      return rank(matches, view, postings, limit)
    },
  }
}

async function addAll<T extends IndexedTool>(postings: Postings<T>, entries: readonly T[]): Promise<void> {
  let read = 0
  for (const entry of entries) {
    if (postings.slotOf(entry) !== undefined) continue
    postings.add(entry, countWords(entry))
    read += 1
    if (read % SLICE === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

function rank<T extends IndexedTool>(
  matches: readonly Match[],
  view: VisibleTexts,
  postings: Postings<T>,
  limit: number,
): ToolsFound<T> {
  const scores = new Float64Array(postings.size)
  const covered = new Float64Array(postings.size)
  for (const { slots, counts, weight } of matches) {
    for (let at = 0; at < slots.length; at += 1) {
      const [slot = 0, count = 0] = [slots[at], counts[at]]
      const length = postings.lengthAt(slot) / view.meanLength
      scores[slot] = (scores[slot] ?? 0) + (weight * count * (K1 + 1)) / (count + K1 * (1 - B + B * length))
      covered[slot] = (covered[slot] ?? 0) + weight
    }
  }
  const least = matches.reduce((sum, { weight }) => sum + weight, 0) * MIN_COVERED
  const best: { readonly entry: T; readonly score: number }[] = []
  const fitting: T[] = []
  for (const [slot, score] of scores.entries()) {
    const entry = score > 0 && (covered[slot] ?? 0) >= least ? postings.entryAt(slot) : undefined
    if (entry === undefined) continue
    fitting.push(entry)
    insert(best, { entry, score }, limit)
  }
  return { tools: best.map(({ entry }) => entry), fitting }
}

interface Ranked {
  readonly entry: IndexedTool
  readonly score: number
}

/** Keeps the best of them, the best first; of equals the one whose name comes first. */
function insert<R extends Ranked>(best: R[], one: R, limit: number): void {
  let at = best.length
  while (at > 0 && compareRanked(one, best[at - 1])) at -= 1
  if (at >= limit) return
  best.splice(at, 0, one)
  if (best.length > limit) best.pop()
}

function compareRanked(one: Ranked, other: Ranked | undefined): boolean {
  if (other === undefined || one.score !== other.score) return one.score > (other?.score ?? 0)
  return compareText(one.entry.name, other.entry.name) < 0
}

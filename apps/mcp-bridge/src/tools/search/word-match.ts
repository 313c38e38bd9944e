import type { Posting, Postings } from './postings.ts'
import type { VisibleTexts } from './visible-texts.ts'

/** What a word of a question finds among what somebody sees. */
export interface Match extends Posting {
  /** How much it tells: a word that few have says more. One that nobody has says most of what was wanted. */
  readonly weight: number
}

export interface MatchFacts {
  readonly postings: Pick<Postings<never>, 'find' | 'words' | 'wordsOf'>
  readonly view: VisibleTexts
  /** Is it the last word of the question, and so maybe not typed to its end? */
  readonly isLast: boolean
}

/** Shorter words begin too many others. */
const MIN_BEGINNING = 3
/** Of shorter words too many differ by one letter. */
const MIN_MISTYPED = 5
/** What a word counts that only begins like the one that was asked for, or is one letter off. */
const NEARLY = 0.5

/** The word itself; where nobody has it, what begins with it or is one slip of the keyboard away. */
export function matchWord(word: string, { postings, view, isLast }: MatchFacts): Match {
  const exact = toVisible(postings.find(word), view)
  if (exact.slots.length > 0) return toMatch(exact, view)
  const begun = isLast && word.length >= MIN_BEGINNING ? [...postings.words()].filter((it) => it.startsWith(word)) : []
  const meant = unite(begun.map((it) => toVisible(postings.find(it), view)))
  if (meant.slots.length > 0) return toMatch(meant, view)
  const near = word.length >= MIN_MISTYPED ? findNear(word, postings) : []
  return toMatch(unite(near.map((it) => toVisible(postings.find(it), view))), view)
}

function toMatch({ slots, counts }: Posting, { count }: VisibleTexts): Match {
  const weight = Math.log(1 + (count - slots.length + 0.5) / (slots.length + 0.5))
  return { slots, counts, weight }
}

const NOTHING: Posting = { slots: [], counts: [] }

function toVisible(posting: Posting | undefined, view: VisibleTexts): Posting {
  if (posting === undefined) return NOTHING
  const slots: number[] = []
  const counts: number[] = []
  for (const [at, slot] of posting.slots.entries()) {
    if (!view.sees(slot)) continue
    slots.push(slot)
    counts.push(posting.counts[at] ?? 0)
  }
  return { slots, counts }
}

/** A text that has several of the words has what counts most. */
function unite(postings: readonly Posting[]): Posting {
  const counts = new Map<number, number>()
  for (const posting of postings) {
    for (const [at, slot] of posting.slots.entries()) {
      counts.set(slot, Math.max(counts.get(slot) ?? 0, NEARLY * (posting.counts[at] ?? 0)))
    }
  }
  return { slots: [...counts.keys()], counts: [...counts.values()] }
}

function findNear(word: string, postings: Pick<Postings<never>, 'wordsOf'>): string[] {
  return [-1, 0, 1].flatMap((more) => postings.wordsOf(word.length + more).filter((it) => isOneSlip(word, it)))
}

/** Is it one letter more, less or another, or are two that stand beside each other the other way round? */
function isOneSlip(one: string, other: string): boolean {
  const [long, short] = one.length >= other.length ? [one, other] : [other, one]
  let at = 0
  while (at < short.length && long[at] === short[at]) at += 1
  if (long.length > short.length) return long.slice(at + 1) === short.slice(at)
  if (long.slice(at + 1) === short.slice(at + 1)) return true
  return long[at] === short[at + 1] && long[at + 1] === short[at] && long.slice(at + 2) === short.slice(at + 2)
}

import type { Words } from './document.ts'

/** Which texts have a word, and how often; both lists go together, and the slots ascend. */
export interface Posting {
  readonly slots: number[]
  readonly counts: number[]
}

/** Texts by their words. Each has a slot, a number that is never given again. */
export interface Postings<T> {
  /** Another after every change. */
  readonly version: number
  /** How many slots were given, and how many of them are of texts that are there no more. */
  readonly size: number
  readonly gone: number
  add(entry: T, words: Words): void
  remove(entry: T): void
  entries(): Iterable<T>
  entryAt(slot: number): T | undefined
  slotOf(entry: T): number | undefined
  /** How long its text is. */
  lengthAt(slot: number): number
  /** Also of texts that are there no more. */
  find(word: string): Posting | undefined
  /** Words of so many characters. */
  wordsOf(length: number): readonly string[]
  words(): Iterable<string>
}

export function createPostings<T>(): Postings<T> {
  const byWord = new Map<string, Posting>()
  const byLength = new Map<number, string[]>()
  const slots = new Map<T, number>()
  const texts: (T | undefined)[] = []
  const lengths: number[] = []
  let version = 0

  function open(word: string): Posting {
    const posting = { slots: [], counts: [] }
    byWord.set(word, posting)
    const alike = byLength.get(word.length)
    if (alike === undefined) byLength.set(word.length, [word])
    else alike.push(word)
    return posting
  }

  return {
    get version() {
      return version
    },
    get size() {
      return texts.length
    },
    get gone() {
      return texts.length - slots.size
    },
    add(entry, { counts, length }) {
      const slot = texts.length
      for (const [word, count] of counts) {
        const posting = byWord.get(word) ?? open(word)
        posting.slots.push(slot)
        posting.counts.push(count)
      }
      texts.push(entry)
      lengths.push(length)
      slots.set(entry, slot)
      version += 1
    },
    remove(entry) {
      const slot = slots.get(entry)
      if (slot === undefined) return
      texts[slot] = undefined
      slots.delete(entry)
      version += 1
    },
    entries: () => slots.keys(),
    entryAt: (slot) => texts[slot],
    slotOf: (entry) => slots.get(entry),
    lengthAt: (slot) => lengths[slot] ?? 0,
    find: (word) => byWord.get(word),
    wordsOf: (length) => byLength.get(length) ?? [],
    words: () => byWord.keys(),
  }
}

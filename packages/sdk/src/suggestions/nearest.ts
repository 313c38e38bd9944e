import { distance } from 'fastest-levenshtein'

/** Nobody mistypes a longer name, and comparing costs its length times that of each candidate. */
const MAX_NAME_LENGTH = 128
/** Names beyond are not compared. */
const MAX_CANDIDATES = 10_000

/**
 * What was most likely meant by `name`: a candidate that differs by a slip, at most a quarter of the letters, else one that
 * holds it or is held by it or has the same words, else one that differs by at most two letters or a third of the name. Of several
 * the one that differs least, then the one with the same letters, for letters change places; the first one wins a tie.
 *
 * @example
 * findNearest('--port', ['--http-port', '--data']) // '--http-port'
 * findNearest('--engin-url', ['--url', '--engine-url']) // '--engine-url'
 * findNearest('--ulr', ['--url', '--config']) // '--url'
 */
export function findNearest(name: string, candidates: Iterable<string>): string | undefined {
  return findNearestFew(name, candidates, 1)[0]
}

/**
 * What may have been meant by `name`, the likeliest first, by the rules of {@link findNearest}.
 *
 * @example
 * findNearestFew('getOrder', ['orders__get', 'orders__get_all', 'shop__empty'], 3) // ['orders__get', 'orders__get_all']
 */
export function findNearestFew(name: string, candidates: Iterable<string>, most: number): string[] {
  return findFew(name, candidates, most, BY_LETTERS)
}

/**
 * The same without those that only share letters: a slip of the keyboard, or the same words. Where something else than letters tells
 * what was meant, that counts for more.
 *
 * @example
 * findAkinFew('orders__refund', ['orders__report', 'orders__refund_all'], 3) // ['orders__refund_all']
 */
export function findAkinFew(name: string, candidates: Iterable<string>, most: number): string[] {
  return findFew(name, candidates, most, BY_WORDS)
}

interface Ranked extends Likeness {
  readonly candidate: string
}

/** @param worst the last rank that counts */
function findFew(name: string, candidates: Iterable<string>, most: number, worst: number): string[] {
  if (name.length > MAX_NAME_LENGTH) return []
  const ranked = rankAll(name, candidates, worst).sort(compareLikeness)
  const last = ranked[most - 1]
  const near = last === undefined ? ranked : ranked.filter((one) => compareLikeness(one, last) <= 0)
  // The dearest measure is taken of those alone that the others leave, and once.
  const letters = sortLetters(name)
  return near
    .map((one) => ({ ...one, strange: distance(letters, sortLetters(one.candidate)) }))
    .sort((a, b) => compareLikeness(a, b) || a.strange - b.strange)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

function rankAll(name: string, candidates: Iterable<string>, worst: number): Ranked[] {
  const ranked: Ranked[] = []
  const rankOf = createRanking(name)
  let compared = 0
  for (const candidate of candidates) {
    if (++compared > MAX_CANDIDATES) break
    const found = rankOf(candidate)
    if (found !== undefined && found.rank <= worst) ranked.push({ candidate, ...found })
  }
  return ranked
}

function compareLikeness(a: Likeness, b: Likeness): number {
  return a.rank - b.rank || a.off - b.off
}

/** By which rule a candidate was meant, the likeliest first, and by how many letters it differs. */
interface Likeness {
  readonly rank: number
  readonly off: number
}

const BY_SLIP = 0
const BY_WORDS = 1
const BY_LETTERS = 2

function createRanking(name: string): (candidate: string) => Likeness | undefined {
  const word = name.toLowerCase()
  const bareWord = bare(word)
  const parts = toWords(name)
  return (candidate) => {
    const other = candidate.toLowerCase()
    const off = distance(word, other)
    if (off <= Math.floor(bareWord.length / 4)) return { rank: BY_SLIP, off }
    if (isRelated(bareWord, bare(other)) || hasWords(toWords(candidate), parts)) return { rank: BY_WORDS, off }
    const isNear = off < bareWord.length && off <= Math.max(2, Math.floor(name.length / 3))
    return isNear ? { rank: BY_LETTERS, off } : undefined
  }
}

function isRelated(word: string, other: string): boolean {
  return word.length > 1 && other.length > 1 && (other.includes(word) || word.includes(other))
}

/** Several words in whatever order, each as it is or as the beginning of another: `getOrder` is in `orders__get`. */
function hasWords(all: readonly string[], some: readonly string[]): boolean {
  return some.length > 1 && some.every((word) => all.some((other) => other.startsWith(word) || word.startsWith(other)))
}

function toWords(name: string): string[] {
  const apart = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return apart.split(/[^a-z0-9]+/).filter((word) => word.length > 1)
}

function sortLetters(name: string): string {
  return [...name.toLowerCase()].sort().join('')
}

function bare(flag: string): string {
  return flag.replace(/^-+/, '')
}

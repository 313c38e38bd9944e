import { cutUtf8 } from '@iii/protocol'

/** For a line break and the brackets that are closed. */
const CLOSING_BYTES = 256

/** A list or an object that is open at a place in a text. */
interface Open {
  readonly closer: string
  /** Where the last element ends that is there as a whole. */
  end: number | undefined
}

/**
 * The beginning of a JSON text, cut between two elements of its outermost list, or of its outermost object where no list is cut. What is
 * left is JSON.
 *
 * @returns undefined for what is no list and no object, and where not one element fits
 *
 * @example
 * cutJson('{"ids":["aaaa","bbbb"]}', …) // '{"ids":["aaaa"\n]}'
 */
export function cutJson(text: string, maxBytes: number): string | undefined {
  if (!/^\s*[[{]/.test(text) || !isJson(text)) return undefined
  const open = findOpen(cutUtf8(text, Math.max(0, maxBytes - CLOSING_BYTES)))
  const list = open.findIndex(({ closer, end }) => closer === ']' && end !== undefined)
  const at = list >= 0 ? list : open.findIndex(({ end }) => end !== undefined)
  const closers = open.slice(0, at + 1).map(({ closer }) => closer)
  if (at < 0 || closers.length >= CLOSING_BYTES) return undefined
  return `${text.slice(0, open[at]?.end)}\n${closers.reverse().join('')}`
}

/** What is open at the end of a text, the outermost first. */
function findOpen(text: string): Open[] {
  const open: Open[] = []
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const closer = CLOSERS.get(token)
    const last = open.at(-1)
    if (closer !== undefined) open.push({ closer, end: undefined })
    else if (token === last?.closer) open.pop()
    else if (token === ',' && last !== undefined) last.end = index
  }
  return open
}

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['[', ']'],
  ['{', '}'],
])
/** Strings as a whole, also one that is cut off, and what stands between values. */
const TOKENS = /"(?:[^"\\]|\\.)*(?:"|$|\\$)|[[\]{},]/gs

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

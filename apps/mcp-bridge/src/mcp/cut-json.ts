import { cutUtf8 } from '@iii/protocol'
import { parseJsonText } from '@iii/sdk'

/** For the end of a text, a line break and the brackets that are closed. */
const CLOSING_BYTES = 256
const TEXT_END = '…"'

/** A list or an object that is open at a place in a text. */
interface Open {
  readonly closer: string
  /** Where the last element ends that is there as a whole. */
  end: number | undefined
}

/**
 * The beginning of a JSON text, cut between two elements of its outermost list, or of its outermost object where no list is cut; where
 * a text of that object is most of it, inside of this text. What is left is JSON.
 *
 * @returns undefined for what is no list and no object, and where not one element fits
 *
 * @example
 * cutJson('{"ids":["aaaa","bbbb"]}', …) // '{"ids":["aaaa"\n]}'
 * cutJson('{"id":7,"page":"aaaabbbb"}', …) // '{"id":7,"page":"aaaa…"\n}'
 */
export function cutJson(text: string, maxBytes: number): string | undefined {
  if (!/^\s*[[{]/.test(text) || parseJsonText(text) === undefined) return undefined
  const fitting = cutUtf8(text, Math.max(0, maxBytes - CLOSING_BYTES), '')
  const { open, last } = findOpen(fitting)
  const list = open.findIndex(({ closer, end }) => closer === ']' && end !== undefined)
  const at = list >= 0 ? list : open.findIndex(({ end }) => end !== undefined)
  const end = open[at]?.end ?? 0
  // An object without the text that it is about, a page beside its address, would say nothing.
  const cutText = list < 0 && end < fitting.length / 2 ? toCutText(fitting, last, open.at(-1)) : undefined
  if (cutText !== undefined) return close(cutText, open)
  return at < 0 ? undefined : close(text.slice(0, end), open.slice(0, at + 1))
}

function close(text: string, open: readonly Open[]): string | undefined {
  if (open.length + Buffer.byteLength(TEXT_END) >= CLOSING_BYTES) return undefined
  const closers = open.map(({ closer }) => closer)
  return `${text}\n${closers.reverse().join('')}`
}

/** Ends the text that goes beyond the end between two of its characters, where it is no key. @param start of the last token */
function toCutText(text: string, start: number, within: Open | undefined): string | undefined {
  const isValue = within?.closer === ']' || text.slice(0, start).trimEnd().endsWith(':')
  if (text[start] !== '"' || !isValue) return undefined
  const [whole = ''] = /^"(?:[^"\\]|\\u[\da-fA-F]{4}|\\[^u])*/s.exec(text.slice(start)) ?? []
  return `${text.slice(0, start)}${whole}${TEXT_END}`
}

/** What is open at the end of a text, the outermost first, and where its last token begins. */
function findOpen(text: string): { readonly open: readonly Open[]; readonly last: number } {
  const open: Open[] = []
  let last = 0
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const closer = CLOSERS.get(token)
    const inner = open.at(-1)
    if (closer !== undefined) open.push({ closer, end: undefined })
    else if (token === inner?.closer) open.pop()
    else if (token === ',' && inner !== undefined) inner.end = index
    last = index
  }
  return { open, last }
}

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['[', ']'],
  ['{', '}'],
])
/** Strings as a whole, also one that is cut off, and what stands between values. */
const TOKENS = /"(?:[^"\\]|\\.)*(?:"|$|\\$)|[[\]{},]/gs

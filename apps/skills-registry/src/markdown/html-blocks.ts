import { type Lines, skipToBlank } from './lines.ts'

/** Elements that are known to begin a block of HTML, comments and declarations: what may end a paragraph. */
export const HTML =
  /^ {0,3}<(?:[!?]|\/?(?:a|article|br|center|details|div|figure|h[1-6]|hr|img|p|picture|pre|script|section|source|style|sub|summary|sup|table|tbody|td|textarea|th|thead|tr|ul|ol|li)(?=[\s>/]|$))/i
/** Any other tag that stands alone on its line. */
const LONE_TAG = /^ {0,3}<\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?>[ \t]*$/i
const COMMENT = /^ {0,3}<!--/
/** Elements whose text goes on over blank lines. */
const RAW = /^ {0,3}<(pre|script|style|textarea)(?=[\s>]|$)/i

/**
 * Consumes a block of HTML: a comment up to its end, an element with raw text up to its closing tag, anything else up to a blank line.
 *
 * @returns undefined for a line that begins none.
 */
export function skipHtml(line: string, lines: Lines): null | undefined {
  const end = COMMENT.test(line) ? '-->' : toEndOfRaw(line)
  if (end !== undefined) skipThrough(end, line, lines)
  else if (HTML.test(line) || LONE_TAG.test(line)) skipToBlank(lines)
  else return undefined
  return null
}

function toEndOfRaw(line: string): string | undefined {
  const name = RAW.exec(line)?.[1]
  return name && `</${name.toLowerCase()}>`
}

function skipThrough(end: string, line: string, lines: Lines): void {
  for (let inner: string | undefined = line; inner !== undefined; inner = lines.next()) {
    if (inner.toLowerCase().includes(end)) break
  }
}

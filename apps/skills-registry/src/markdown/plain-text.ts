import { toVisible } from '@iii/protocol'

/** Texts that anybody on the engine wrote, as a reader sees them: safe to show beside other people's lines. */

/** Far more than any title or summary keeps; bounds the work on a paragraph of 256 KiB. */
const MAX_SOURCE = 4096

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g
const TARGET = '\\((?:[^()]|\\([^()]*\\))*\\)'
const IMAGE = new RegExp(`!\\[([^\\[\\]]*)\\](?:${TARGET}|\\[[^\\[\\]]*\\])`, 'g')
const LINK = new RegExp(`\\[([^\\[\\]]*)\\](?:${TARGET}|\\[[^\\[\\]]*\\])`, 'g')
const AUTOLINK = /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>/gi
const STRONG = /(^|[\s(])\*\*(\S(?:[^*]*[^\s*])?)\*\*(?=$|[\s.,;:!?)])/g
/** Tags that only change how a text looks, but not inside of code; `<id>` is left alone, it is a word. */
const CODE_OR_TAG =
  /`[^`]*`|<\/?(?:a|abbr|b|big|br|code|del|div|em|font|h[1-6]|hr|i|img|ins|kbd|mark|p|q|s|samp|small|span|strong|sub|sup|u|var|wbr)(?:\s[^<>]*)?\/?>/gi
const ESCAPE = /\\([!-/:-@[-`{-~])/g

/**
 * Takes comments, tags, link and image markup, escapes and invisible characters out of a line of markdown.
 *
 * Code marks stay: they carry meaning (`orders::create` is a name).
 */
export function toPlainText(markdown: string): string {
  const source = markdown.slice(0, MAX_SOURCE).replace(COMMENT, ' ')
  // Twice, because a badge is an image inside a link.
  const text = source
    .replace(IMAGE, '$1')
    .replace(LINK, '$1')
    .replace(LINK, '$1')
    .replace(AUTOLINK, '$1')
    .replace(CODE_OR_TAG, (match) => (match.startsWith('`') ? match : ''))
    .replace(STRONG, '$1$2')
    .replace(ESCAPE, '$1')
  return toOneLine(text)
}

/** Puts a text on one line: invisible characters and runs of white space become one space. */
export function toOneLine(text: string): string {
  return toVisible(text.slice(0, MAX_SOURCE), ' ').replace(/\s+/g, ' ').trim()
}

/** Whether a paragraph shows pictures and nothing else, as a row of badges does. */
export function isPictures(markdown: string): boolean {
  const source = markdown.slice(0, MAX_SOURCE)
  return source.search(IMAGE) !== -1 && toPlainText(source.replace(IMAGE, '')) === ''
}

/** Cuts a text to `max` characters (code points), the `…` that says so included. */
export function cut(text: string, max: number): string {
  // Code points are never more than code units.
  if (text.length <= max) return text
  const points = Array.from(text)
  return points.length <= max
    ? text
    : `${points
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
}

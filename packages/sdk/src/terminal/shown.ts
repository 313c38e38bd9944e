/** Characters that move the cursor, hide text or turn its direction: they come from strangers and go to a terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u

let segmenter: Intl.Segmenter | undefined

/** What takes longer the longer the text is, for each character of it, gets so much at a time. */
const PART = 256

/** What a reader takes for one character each. The tables are made for who needs them: they take 2.5 MB of memory. */
function* toGraphemes(text: string): Iterable<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (let from = 0; from < text.length; ) {
    const found = [...segmenter.segment(text.slice(from, from + PART))]
    // The last one may go on in the next part, and stands in two where the part ends within a code point.
    if (from + PART < text.length && found.length > 2) found.splice(-2)
    for (const { segment } of found) {
      yield segment
      from += segment.length
    }
  }
}

/**
 * Writes text that somebody else chose so that a terminal shows it and does nothing else.
 *
 * @example
 * toShown('a\u001b[2J') // 'a\\u{1b}[2J'
 */
export function toShown(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** The same for a text of several lines: line breaks and tabs stay. */
export function toShownText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split(/([\n\t])/)
    .map((part, at) => (at % 2 === 0 ? toShown(part) : part))
    .join('')
}

/** The same for JSON, which goes on to mean the same: JSON itself escapes only some of these characters. */
export function toShownJson(json: string): string {
  return json.replace(UNSEEN, (character) =>
    character === '\n' ? character : character.replace(CODE_UNIT, escapeUnit),
  )
}

const CODE_UNIT = /[\s\S]/g

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** How many columns of a terminal a text takes. */
export function toColumns(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let columns = 0
  for (const segment of toGraphemes(text)) columns += WIDE.test(segment) ? 2 : 1
  return columns
}

/** Cuts a text to so many columns, the `…` at the cut included. */
export function cutColumns(text: string, columns: number): string {
  if (toColumns(text) <= columns) return text
  let room = columns - 1
  let kept = ''
  for (const segment of toGraphemes(text)) {
    room -= toColumns(segment)
    if (room < 0) break
    kept += segment
  }
  return `${kept}…`
}

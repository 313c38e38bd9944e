/**
 * Counts the UTF-8 bytes of a text (a lone surrogate counts as the three bytes of its replacement).
 *
 * @example
 * utf8Length('é') // 2
 */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    // A pair is two units and four bytes: its second half has been counted as one byte and needs no more.
    if (unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(i + 1))) i++
  }
  return bytes
}

/**
 * Cuts a well-formed text to at most `maxBytes` UTF-8 bytes, never inside a character.
 *
 * @param mark stands at the cut, and counts; `maxBytes` is at least its length
 *
 * @example
 * cutUtf8('abcdefgh', 6) // 'abc…'
 */
export function cutUtf8(text: string, maxBytes: number, mark = '…'): string {
  if (text.length <= maxBytes && utf8Length(text) <= maxBytes) return text
  let room = maxBytes - utf8Length(mark)
  let end = 0
  for (const character of text) {
    room -= utf8Length(character)
    if (room < 0) break
    end += character.length
  }
  return `${text.slice(0, end)}${mark}`
}

/** The index of the first surrogate without its other half; -1 when the text is well-formed. */
export function findLoneSurrogate(text: string): number {
  if (text.isWellFormed()) return -1
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i) ?? 0
    if (point >= 0xd800 && point < 0xe000) return i
    if (point > 0xffff) i++
  }
  return -1
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}

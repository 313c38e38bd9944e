/**
 * Cuts a text out of its middle, so that it has at most so many bytes as a string of JSON, without the quotes: twice as much of the head
 * stays as of the tail, and between them stands how much is missing.
 *
 * @param text well-formed
 * @param maxBytes at least {@link CUT_NOTE_BYTES}
 */
export function cutMiddle(text: string, maxBytes: number): string {
  const room = maxBytes - CUT_NOTE_BYTES
  const head = text.slice(0, fitForwards(text, Math.ceil((room * 2) / 3)))
  const tail = text.slice(fitBackwards(text, Math.floor(room / 3), head.length))
  const missing = Buffer.byteLength(text) - Buffer.byteLength(head) - Buffer.byteLength(tail)
  return `${head}\n[… ${missing} bytes are left out here …]\n${tail}`
}

/** Room for what is said about the cut. */
export const CUT_NOTE_BYTES = 64

function fitForwards(text: string, room: number): number {
  let left = room
  let at = 0
  while (at < text.length) {
    const point = text.codePointAt(at) ?? 0
    left -= toCost(point)
    if (left < 0) break
    at += point > 0xffff ? 2 : 1
  }
  return at
}

function fitBackwards(text: string, room: number, end: number): number {
  let left = room
  let at = text.length
  while (at > end) {
    const isPair = at >= 2 && isLow(text.charCodeAt(at - 1))
    const start = at - (isPair ? 2 : 1)
    left -= toCost(text.codePointAt(start) ?? 0)
    if (left < 0 || start < end) break
    at = start
  }
  return at
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}

/** Bytes in a string of JSON. */
function toCost(point: number): number {
  if (point < 0x20) return SHORT_ESCAPES.includes(point) ? 2 : 6
  if (point === 0x22 || point === 0x5c) return 2
  if (point < 0x80) return 1
  if (point < 0x800) return 2
  return point > 0xffff ? 4 : 3
}

/** `\b \t \n \f \r` */
const SHORT_ESCAPES = [8, 9, 10, 12, 13]

/** A character of JSON takes at most so many bytes as text within JSON: control characters are escaped already. */
const MOST_BYTES = 3

/**
 * The rows of a list that one reply has room for, in their order; the very same where that is all of them. The largest are left out first,
 * so that a few huge ones take nobody's place but their own.
 *
 * @param toText a row as JSON
 * @param maxBytes of all rows together, as text within JSON: so a reply travels, and each quote counts twice
 */
export function toFittingRows<Row>(
  rows: readonly Row[],
  toText: (row: Row) => string,
  maxBytes: number,
): readonly Row[] {
  const texts = rows.map(toText)
  const characters = texts.reduce((sum, { length }) => sum + length + 1, 0)
  if (characters * MOST_BYTES <= maxBytes) return rows
  const bySize = texts.map((text, at) => ({ at, bytes: toSentBytes(text) })).sort((a, b) => a.bytes - b.bytes)
  let room = maxBytes
  const over = bySize.findIndex(({ bytes }) => {
    room -= bytes
    return room < 0
  })
  if (over === -1) return rows
  const kept = new Set(bySize.slice(0, over).map(({ at }) => at))
  return rows.filter((_, at) => kept.has(at))
}

/** With the comma behind it, and without the quotes around it. */
function toSentBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 1
}

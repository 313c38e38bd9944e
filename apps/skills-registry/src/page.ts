/** No answer grows beyond this many bytes of JSON: what does not fit is counted. */
export const MAX_LIST_BYTES = 8 * 1024 * 1024 - 65_536

/** As many of the items, from the first on, as fit into one answer. */
export interface Page<T> {
  items: readonly T[]
  /** How many do not fit; absent when all do. */
  left_out?: number
}

/** Cuts a list to what fits into one message. */
export function toPage<T>(items: readonly T[], maxBytes = MAX_LIST_BYTES): Page<T> {
  let bytes = 0
  const over = items.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    return bytes > maxBytes
  })
  return over === -1 ? { items } : { items: items.slice(0, over), left_out: items.length - over }
}

/** Rows that are kept only to be written back when the store loses them. */
export interface BodyCache<Row> {
  /**
   * Keeps a row that was read or written.
   *
   * @param bytes about how much it takes.
   */
  set(key: string, row: Row, bytes: number): void
  /** Keeps a row that nobody asked for while there is room; it goes before those that somebody did. @returns whether there is */
  offer(key: string, row: Row, bytes: number): boolean
  get(key: string): Row | undefined
  /** Whether a row of so many bytes could be offered. */
  hasRoom(bytes: number): boolean
  delete(key: string): void
}

interface Kept<Row> {
  row: Row
  bytes: number
  isOffered: boolean
}

/** @param maxBytes about how much is kept; what was offered last goes first, then what was not touched for longest. */
export function createBodyCache<Row>(maxBytes: number): BodyCache<Row> {
  const rows = new Map<string, Kept<Row>>()
  const offered: string[] = []
  let total = 0

  function put(key: string, kept: Kept<Row>): void {
    rows.set(key, kept)
    total += kept.bytes
  }

  function remove(key: string): void {
    total -= rows.get(key)?.bytes ?? 0
    rows.delete(key)
  }

  function findNext(): string | undefined {
    for (let key = offered.pop(); key !== undefined; key = offered.pop()) if (rows.get(key)?.isOffered) return key
    return rows.keys().next().value
  }

  return {
    set(key, row, bytes) {
      remove(key)
      put(key, { row, bytes, isOffered: false })
      while (total > maxBytes) remove(findNext() ?? key)
    },
    offer(key, row, bytes) {
      if (total + bytes > maxBytes) return false
      if (rows.has(key)) return true
      put(key, { row, bytes, isOffered: true })
      offered.push(key)
      return true
    },
    get: (key) => rows.get(key)?.row,
    hasRoom: (bytes) => total + bytes <= maxBytes,
    delete: remove,
  }
}

/** Rows that were read or written lately, kept only to be written back when the store loses them. */
export interface BodyCache<Row> {
  /** @param bytes about how much it takes. */
  set(key: string, row: Row, bytes: number): void
  get(key: string): Row | undefined
  delete(key: string): void
}

/** @param maxBytes about how much is kept; what was not touched for longest goes first. */
export function createBodyCache<Row>(maxBytes: number): BodyCache<Row> {
  const rows = new Map<string, { row: Row; bytes: number }>()
  let total = 0

  function remove(key: string): void {
    total -= rows.get(key)?.bytes ?? 0
    rows.delete(key)
  }

  return {
    set(key, row, bytes) {
      remove(key)
      rows.set(key, { row, bytes })
      total += bytes
      for (const oldest of rows.keys()) {
        if (total <= maxBytes) break
        remove(oldest)
      }
    },
    get: (key) => rows.get(key)?.row,
    delete: remove,
  }
}

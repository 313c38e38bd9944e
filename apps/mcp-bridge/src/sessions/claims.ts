import type { KeptSettings } from './kept-settings.ts'

/** What sessions have set since they were stored last, in bytes. */
export interface StorageClaims {
  /** Of all sessions. */
  readonly bytes: number
  /** By how much that would grow if a session had so much in all: not at all for what it has set and taken back before. */
  growth(handle: string, bytes: number): number
  /** A session has so much in all. */
  set(handle: string, bytes: number): void
}

export function createStorageClaims(kept: Pick<KeptSettings, 'get'>): StorageClaims {
  const claims = new Map<string, number>()
  let claimed = 0

  function growth(handle: string, bytes: number): number {
    return Math.max(0, bytes - (kept.get(handle)?.bytes ?? 0)) - (claims.get(handle) ?? 0)
  }

  return {
    get bytes() {
      return claimed
    },
    growth,
    set(handle, bytes) {
      const more = growth(handle, bytes)
      const claim = (claims.get(handle) ?? 0) + more
      claimed += more
      if (claim > 0) claims.set(handle, claim)
      else claims.delete(handle)
    },
  }
}

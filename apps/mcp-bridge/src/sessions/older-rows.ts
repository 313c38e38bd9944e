import type { StateRow } from '@iii/sdk'
import { type KeptSettings, MAX_KEPT } from './kept-settings.ts'
import { createSettings } from './settings.ts'
import { toSessionRow } from './store.ts'
import type { Tombstones } from './tombstones.ts'

/**
 * Takes over what is still worth something in a row.
 *
 * @param writes gets what is being written for it
 * @returns whether the row may go
 */
export type TakeRow = (row: StateRow, handle: string, writes: Promise<unknown>[]) => boolean

/** What becomes of the rows that an older version has stored. */
export interface OlderRows {
  readonly takeEnded: TakeRow
  readonly takeSettings: TakeRow
}

export interface OlderRowsOptions {
  readonly ended: Tombstones
  readonly kept: KeptSettings
  readonly settingsBytes: number
  readonly lifeMs: number
  readonly idleMs: number
  readonly now: () => number
}

const EXPIRY = /"expires_at": ?(\d{1,16})\b/

export function createOlderRows({ ended, kept, settingsBytes, lifeMs, idleMs, now }: OlderRowsOptions): OlderRows {
  function endOlder(handle: string, expiresAt: number, writes: Promise<unknown>[]): void {
    if (expiresAt > now() && !ended.has(handle) && !ended.isCrowded) later(writes, ended.add(handle, expiresAt))
  }

  function takeEnded({ text }: StateRow, handle: string, writes: Promise<unknown>[]): boolean {
    endOlder(handle, Math.min(toExpiry(text), now() + lifeMs), writes)
    return true
  }

  function takeSettings(row: StateRow, handle: string, writes: Promise<unknown>[]): boolean {
    if (kept.get(handle) !== undefined) return false
    const { bytes, savedAt, expiresAt } = toKept(row, now() + lifeMs)
    if (expiresAt <= now() || ended.has(handle)) return true
    const fits = bytes !== undefined && kept.size < MAX_KEPT && kept.bytes + bytes <= settingsBytes
    if (fits && savedAt + idleMs > now()) later(writes, kept.set(handle, { bytes, savedAt, expiresAt }))
    // Its client must not go on as if it still had them.
    else endOlder(handle, expiresAt, writes)
    return kept.get(handle) === undefined
  }

  return { takeEnded, takeSettings }
}

/** Waits for a write later; one that fails meanwhile must not end the process. */
function later(writes: Promise<unknown>[], write: Promise<unknown>): void {
  write.catch(() => undefined)
  writes.push(write)
}

/** What is known of a row of settings; `bytes` is undefined where they are more than a session may have. */
function toKept({ text, isWhole }: StateRow, atLatest: number) {
  const row = isWhole ? toSessionRow(JSON.parse(text)) : undefined
  if (row === undefined) return { bytes: undefined, savedAt: 0, expiresAt: Math.min(toExpiry(text), atLatest) }
  const settings = createSettings(row.handle)
  settings.adopt(row)
  const fits = settings.subscriptions.size === new Set(row.subscriptions).size
  return {
    bytes: fits ? settings.bytes : undefined,
    savedAt: row.usedAt,
    expiresAt: Math.min(row.expiresAt, atLatest),
  }
}

function toExpiry(text: string): number {
  return Number(EXPIRY.exec(text)?.[1] ?? Number.POSITIVE_INFINITY)
}

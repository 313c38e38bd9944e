import { isRecord } from '@iii/protocol'
import { isHandle, isTimely, isWithin } from './believable.ts'
import { MAX_SETTINGS_BYTES } from './settings.ts'
import type { SessionStore } from './store.ts'
import { createTable } from './table.ts'

/** What is known of a session that has set something, or was in use for a while. */
export interface KeptSession {
  /** What its settings take; nothing is stored for none. */
  readonly bytes: number
  /** When it was stored last that it is in use, and with what; milliseconds since 1970, like the next. */
  readonly savedAt: number
  readonly expiresAt: number
}

/** Which sessions have settings in the store, of all bridges of the engine: so each row is found without a list of them. */
export interface KeptSettings {
  readonly size: number
  /** Of all settings that are stored. */
  readonly bytes: number
  get(handle: string): KeptSession | undefined
  entries(): IterableIterator<[string, KeptSession]>
  /** Rejects when it could not be stored. */
  set(handle: string, session: KeptSession): Promise<void>
  delete(handle: string): Promise<void>
  /** @throws when the store cannot be read */
  load(): Promise<void>
  observe(key: string, row: Readonly<Record<string, unknown>>): void
}

export interface KeptSettingsOptions {
  readonly store: Pick<SessionStore, 'part' | 'changePart'>
  readonly now: () => number
  readonly lifeMs: number
  /** Told of a session that another bridge has stored settings of. */
  readonly onLearned: (handle: string) => void
  readonly onForeign?: (key: string) => void
}

/** How often it is stored that a session is in use, so that no other bridge takes it for idle. */
export const SAVE_EVERY_MS = 3_600_000
/** So many sessions may have settings, or tell other bridges that they are in use. */
export const MAX_KEPT = 20_000
const PER_PART = 64

export function createKeptSettings(options: KeptSettingsOptions): KeptSettings {
  const { store, onLearned, onForeign } = options
  let bytes = 0
  const table = createTable<KeptSession>({
    store,
    name: 'settings',
    perPart: PER_PART,
    maxParts: Math.ceil(MAX_KEPT / PER_PART),
    parse: (member, handle) => (isHandle(handle) ? parseMember(member, options) : undefined),
    format: formatMember,
    // It is ended when it is over, which takes more than to forget it.
    isOver: () => false,
    isLater: (kept, than) => kept.savedAt > than.savedAt,
    onChange(_, after, before) {
      bytes += (after?.bytes ?? 0) - (before?.bytes ?? 0)
    },
    onLearned,
    ...(onForeign && { onForeign }),
  })
  return {
    get size() {
      return table.size
    },
    get bytes() {
      return bytes
    },
    get: table.get,
    entries: table.entries,
    set: table.set,
    delete: table.delete,
    load: table.load,
    observe: table.observe,
  }
}

function formatMember({ bytes, savedAt, expiresAt }: KeptSession) {
  return { bytes, saved_at: savedAt, expires_at: expiresAt }
}

function parseMember(
  member: unknown,
  { now, lifeMs }: Pick<KeptSettingsOptions, 'now' | 'lifeMs'>,
): KeptSession | undefined {
  if (!isRecord(member)) return undefined
  const { bytes, saved_at: savedAt, expires_at: expiresAt } = member
  const isKept =
    Number.isInteger(bytes) &&
    isWithin(bytes, MAX_SETTINGS_BYTES) &&
    isTimely(savedAt, now()) &&
    isTimely(expiresAt, now() + lifeMs)
  return isKept ? { bytes: Number(bytes), savedAt: Number(savedAt), expiresAt: Number(expiresAt) } : undefined
}

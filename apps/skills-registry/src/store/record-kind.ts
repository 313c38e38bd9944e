import { createHash } from 'node:crypto'
import type { z } from 'zod'

/** What every stored record has beside its own fields. */
export interface Stamped {
  registered_at: string
}

/** What every entry of a list has beside its own fields. */
export interface Sized extends Stamped {
  /** What the record takes, in UTF-8. */
  bytes: number
}

/** What a store has to know of the records that it holds. */
export interface RecordKind<Row extends Stamped, Entry extends Sized> {
  /** What a record is called in messages: `skill`. */
  what: string
  schema: z.ZodType<Row>
  keyOf(row: Row): string
  /** All that makes two records different, as one text; the stamp does not. */
  contentOf(row: Row): string
  /** What lists show of a record: small, whatever the record is. */
  toEntry(row: Row): Entry
  entrySchema: z.ZodType<Entry>
  /** Whether an entry is not as an older registry made it, of which lists might show something else. @default all are the same */
  isUpToDate?(entry: Entry): boolean
  /** About what the stored row takes that an entry describes, rather more than less: all its texts in UTF-8, before JSON escapes any. */
  sizeOf(entry: Entry): number
}

/** What a stored row takes beside its texts: the names of its fields, and its stamp. */
export const ROW_BYTES = 128

/** Two records with the same digest are the same but for their stamps. */
export function toRecordDigest<Row extends Stamped, Entry extends Sized>(
  kind: RecordKind<Row, Entry>,
  row: Row,
): string {
  return createHash('sha1').update(kind.contentOf(row)).digest('base64url')
}

/**
 * Whether one registration is known to be older than another. Whoever writes to the scope directly may stamp a record as he likes: of
 * what is no time nothing is known.
 */
export function isOlder(one: Stamped, other: Stamped): boolean {
  const [a, b] = [Date.parse(one.registered_at), Date.parse(other.registered_at)]
  // Dates have milliseconds; our own stamps tell microseconds, all in one spelling.
  return a === b ? one.registered_at < other.registered_at : a < b
}

/** Whether a record is known to be one that was removed, or what was there before it. */
export function isGoneWith(one: Stamped, removed: Stamped): boolean {
  return one.registered_at === removed.registered_at || isOlder(one, removed)
}

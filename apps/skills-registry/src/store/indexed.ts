import { type RecordKind, type Sized, type Stamped, toRecordDigest } from './record-kind.ts'

/** What the index knows of a record: everything that lists show, and nothing of the body. */
export interface Indexed<Entry> {
  key: string
  /** Says whether two bodies are the same. */
  digest: string
  /** Name of the worker that registered it, if it is known. */
  owner?: string | undefined
  /** True when its body went down with the engine's state and nobody registered it since. */
  lost?: boolean | undefined
  entry: Entry
}

export function toIndexed<Row extends Stamped, Entry extends Sized>(
  kind: RecordKind<Row, Entry>,
  row: Row,
  owner: string | undefined,
): Indexed<Entry> {
  const item = { key: kind.keyOf(row), digest: toRecordDigest(kind, row), entry: kind.toEntry(row) }
  return owner === undefined ? item : { ...item, owner }
}

/** Whether two entries stand for the same registration. */
export function isSame<Entry extends Sized>(a: Indexed<Entry> | undefined, b: Indexed<Entry> | undefined): boolean {
  return (
    a?.digest === b?.digest &&
    a?.owner === b?.owner &&
    a?.lost === b?.lost &&
    a?.entry.registered_at === b?.entry.registered_at
  )
}

/** Whether lists may show something else of a record that is in the same words: an older registry has indexed it. */
export function isOutdated<Row extends Stamped, Entry extends Sized>(
  { isUpToDate }: Pick<RecordKind<Row, Entry>, 'isUpToDate'>,
  { entry, lost }: Indexed<Entry>,
): boolean {
  return isUpToDate?.(entry) === false && !lost
}

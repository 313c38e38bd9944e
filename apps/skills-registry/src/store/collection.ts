import { createStateScope, type Logger, type StateScope, type TriggerRequest, type Worker } from '@iii/sdk'
import { type BodyCache, createBodyCache } from './body-cache.ts'
import { createKeyedMutex, type KeyedMutex } from './concurrency.ts'
import { createHeadRow, type HeadRow } from './head-row.ts'
import { createIndexRows, type IndexRows, TOMBSTONE_MS, toShard } from './index-rows.ts'
import type { Indexed } from './indexed.ts'
import { createRecent, type Recent } from './recent.ts'
import type { RecordKind, Sized, Stamped } from './record-kind.ts'
import { type ChangeEvent, createReplica, type Replica } from './replica.ts'
import { callStore, toUndecodable } from './store-fault.ts'
import { createVerification, type Verification } from './verification.ts'

export interface CollectionOptions<Row extends Stamped, Entry extends Sized> {
  worker: Pick<Worker, 'trigger'>
  /** Name of the scope of the records; the index lies in scopes named after it. */
  scope: string
  /** Deadline of each call of the store. */
  timeoutMs(): number
  kind: RecordKind<Row, Entry>
  /** Hears of each change at least once, those of one record in the order of the writes. */
  announce(change: ChangeEvent): void
  /** Hears of each entry as soon as it is known here, whoever wrote it. */
  onKnown?: ((entry: Entry) => void) | undefined
  log: Logger
}

/** The records of one scope, and everything that is known of them: what the parts of the store work on. */
export interface Collection<Row extends Stamped, Entry extends Sized> {
  readonly kind: RecordKind<Row, Entry>
  readonly scope: string
  readonly bodies: StateScope<unknown>
  /** The same, with time for an answer that holds all of them. */
  readonly allBodies: StateScope<unknown>
  readonly rows: IndexRows<Entry>
  readonly head: HeadRow
  readonly replica: Replica<Entry>
  readonly cache: BodyCache<Row>
  readonly verification: Verification
  /** What is being written here at this moment. */
  readonly writing: Map<string, Row>
  /** What was written and removed here in the last seconds: what an engine may forget when it goes down. */
  readonly journal: Recent<JournalEntry<Entry>>
  /** What was removed lately, here or elsewhere: it must not come back. */
  readonly removed: Recent<Stamped>
  /** Everything that is done to one record is done in turn. */
  readonly mutex: KeyedMutex
  readonly log: Logger
  announce(change: ChangeEvent): void
}

/** A write of ours; a removal has no item. */
export interface JournalEntry<Entry> {
  item: Indexed<Entry> | undefined
}

/** So many bytes of bodies are kept, to be written back should the store lose them. */
const CACHE_BYTES = 32 * 1024 * 1024
/** The engine's file adapter writes every 5 s: what is older than this is safe from a crash. */
const JOURNAL_MS = 15_000
/** So many writes, and so many removals, are remembered at most. */
const MAX_REMEMBERED = 20_000
/** The least time for an answer that holds all records. */
const ALL_MS = 60_000

export function openCollection<Row extends Stamped, Entry extends Sized>(
  options: CollectionOptions<Row, Entry>,
): Collection<Row, Entry> {
  const { scope, kind, announce, onKnown, log } = options
  const open = (name: string, leastMs = 0) => createStateScope(withDeadline(options, leastMs), name)
  const replica = createReplica<Entry>(onKnown)
  return {
    kind,
    scope,
    bodies: open(scope),
    allBodies: open(scope, ALL_MS),
    rows: createIndexRows({
      open: (shard) => open(`${scope}::index::${shard}`),
      schema: kind.entrySchema,
      onUnreadable: () =>
        log.warn({ scope }, `some rows of the index of ${kind.what}s cannot be read and are left out`),
    }),
    head: createHeadRow(open(`${scope}::index`), replica.counted),
    replica,
    cache: createBodyCache<Row>(CACHE_BYTES),
    verification: createVerification(),
    writing: new Map(),
    journal: createRecent({ ms: JOURNAL_MS, max: MAX_REMEMBERED }),
    removed: createRecent({ ms: TOMBSTONE_MS, max: MAX_REMEMBERED }),
    mutex: createKeyedMutex(),
    log,
    announce,
  }
}

type Place = Pick<CollectionOptions<never, never>, 'worker' | 'scope' | 'timeoutMs'>

/** Whether a registry has ever opened the records of a scope: one `state::get`. @throws Fault with the reason when that cannot be read. */
export async function hasIndex(place: Place): Promise<boolean> {
  const head = createHeadRow(createStateScope(withDeadline(place, 0), `${place.scope}::index`), () => undefined)
  return (await head.read()).epoch !== undefined
}

/** The deadline is a setting, and may be another one with the next call. */
function withDeadline({ worker, timeoutMs }: Place, leastMs: number): Pick<Worker, 'trigger'> {
  return {
    trigger: <Result>(request: TriggerRequest) =>
      worker.trigger<Result>({ ...request, timeoutMs: Math.max(leastMs, timeoutMs()) }),
  }
}

/** Reads a record: one `state::get`. @throws Fault `internal` when the row is no record. */
export async function readBody<Row extends Stamped, Entry extends Sized>(
  { bodies, kind }: Collection<Row, Entry>,
  key: string,
): Promise<Row | undefined> {
  const stored = await callStore('state::get', () => bodies.get(key))
  if (stored === undefined) return undefined
  const row = kind.schema.safeParse(stored)
  if (row.success) return row.data
  throw toUndecodable(kind.what, key, row.error)
}

/** What the store has under a key, where a row that is no record, or another's, counts as none. */
export async function readRecord<Row extends Stamped, Entry extends Sized>(
  { bodies, kind }: Collection<Row, Entry>,
  key: string,
): Promise<Row | undefined> {
  const row = kind.schema.safeParse(await callStore('state::get', () => bodies.get(key))).data
  return row !== undefined && kind.keyOf(row) === key ? row : undefined
}

/**
 * Deletes a record. Another registry may have stored another one since this one was looked at: what was deleted is judged, and put back
 * where the judge throws.
 */
export async function deleteBody<Row extends Stamped, Entry extends Sized>(
  { bodies, kind }: Collection<Row, Entry>,
  key: string,
  judge: (row: Row | undefined) => void,
): Promise<{ deleted: unknown; row: Row | undefined }> {
  const deleted = await callStore('state::delete', () => bodies.delete(key))
  const row = kind.schema.safeParse(deleted).data
  try {
    judge(row)
  } catch (error) {
    await callStore('state::set', () => bodies.set(key, deleted))
    throw error
  }
  return { deleted, row }
}

/** Brings the index up to a record, or to its absence; resolves when other registries can know. Needs the lock of the record. */
export async function enter<Row extends Stamped, Entry extends Sized>(
  { rows, head, replica }: Collection<Row, Entry>,
  key: string,
  item: Indexed<Entry> | undefined,
): Promise<void> {
  if (item) {
    await rows.put(item)
    replica.set(item)
  } else {
    await rows.putTombstone(key)
    replica.delete(key)
  }
  await head.bump(toShard(key))
}

/** The record that an entry stands for, if it is at hand. */
export function findCached<Row extends Stamped, Entry extends Sized>(
  { cache }: Collection<Row, Entry>,
  { key, entry }: Indexed<Entry>,
): Row | undefined {
  const row = cache.get(key)
  return row?.registered_at === entry.registered_at ? row : undefined
}

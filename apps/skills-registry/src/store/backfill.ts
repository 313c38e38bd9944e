import { Fault } from '@iii/protocol'
import type { Collection } from './collection.ts'
import { forEach } from './concurrency.ts'
import { type Indexed, isOutdated, toIndexed } from './indexed.ts'
import { reconcile } from './reconcile.ts'
import type { RecordKind, Sized, Stamped } from './record-kind.ts'
import { callStore, isConnectionLost, isTooLarge } from './store-fault.ts'

/** So many records are indexed side by side. */
const AT_ONCE = 64
/** Up to so many bytes of rows are compared with the index at the start: as JSON they are less than twice as much. */
const COMPARED_BYTES = 4 * 1024 * 1024
/** A connection may end for any reason; when it ends with this many tries, it is the store. */
const MAX_TRIES = 3

/**
 * Creates what indexes every record of a store that has no index yet. A row that lies under another key than its own is no record.
 *
 * @returns a function that throws Fault `too_large` when the records do not fit into one message, from then on without asking again.
 */
export function createBackfill<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
): () => Promise<void> {
  const { allBodies, kind, replica, log, scope } = collection
  let tries = 0
  let refusal: Fault | undefined

  async function listAll(): Promise<unknown[]> {
    if (refusal) throw refusal
    try {
      return await callStore('state::list', () => allBodies.list())
    } catch (error) {
      if (isConnectionLost(error)) tries += 1
      if (isTooLarge(error) || tries === MAX_TRIES) refusal = toRefusal(kind.what, scope)
      throw refusal ?? error
    }
  }

  return async () => {
    const { keys, rows } = toKeys(kind, await listAll())
    await forEach(keys, AT_ONCE, (key) => reconcile(collection, key))
    if (rows === 0) return
    log.info({ scope, records: replica.size }, `indexed the ${kind.what}s of a store without an index`)
    const left = rows - replica.size
    if (left > 0) log.warn({ scope, rows: left }, `some stored rows are no ${kind.what}s and are not listed`)
  }
}

function toRefusal(what: string, scope: string): Fault {
  return new Fault(
    'too_large',
    `The ${what}s in the scope '${scope}' have no index, and do not fit into one message to be indexed now. Start the registry with --fresh-index and import them with \`iii-skills import DIR\`; until then only what is asked for by its id can be read`,
  )
}

/**
 * A registry may have been away while others wrote: where it costs little, the records are compared with the index. What an older one
 * has indexed is made anew in any case, once.
 */
export async function compareAll<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
): Promise<void> {
  const { replica, kind, bodies, cache } = collection
  const outdated = replica.all().filter((item) => isOutdated(kind, item))
  await forEach(outdated, AT_ONCE, ({ key }) => reconcile(collection, key))
  const bytes = replica.all().reduce((sum, { entry }) => sum + kind.sizeOf(entry), 0)
  if (bytes > COMPARED_BYTES) return
  const stored = toItems(kind, await callStore('state::list', () => bodies.list()))
  const differing = [...stored.values()].flatMap(({ item, row }) => {
    if (!isDescribed(item, replica.get(item.key))) return [item]
    cache.offer(item.key, row, kind.sizeOf(item.entry))
    return []
  })
  const missing = replica.all().filter(({ key, lost }) => !stored.has(key) && !lost)
  await forEach([...differing, ...missing], AT_ONCE, ({ key }) => reconcile(collection, key))
}

function isDescribed<Entry extends Sized>(item: Indexed<Entry>, known: Indexed<Entry> | undefined): boolean {
  return item.digest === known?.digest && item.entry.registered_at === known.entry.registered_at && !known.lost
}

/** What stored rows are by their own account; the store does not tell their keys. */
function toItems<Row extends Stamped, Entry extends Sized>(
  kind: RecordKind<Row, Entry>,
  stored: readonly unknown[],
): Map<string, { item: Indexed<Entry>; row: Row }> {
  const rows = stored.flatMap((value) => kind.schema.safeParse(value).data ?? [])
  return new Map(rows.map((row) => [kind.keyOf(row), { item: toIndexed(kind, row, undefined), row }]))
}

/** The keys alone, so that nobody holds on to all bodies. */
function toKeys<Row extends Stamped, Entry extends Sized>(kind: RecordKind<Row, Entry>, stored: readonly unknown[]) {
  const keys = stored.flatMap((value) => {
    const row = kind.schema.safeParse(value).data
    return row === undefined ? [] : [kind.keyOf(row)]
  })
  return { keys: [...new Set(keys)], rows: stored.length }
}

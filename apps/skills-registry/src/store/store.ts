import { Fault } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { type Books, type BooksOptions, findCached, openBooks, readBody } from './books.ts'
import { createHerald } from './herald.ts'
import type { Indexed } from './index-rows.ts'
import { createLooks, type Looks } from './looks.ts'
import type { Change } from './mirror.ts'
import { watchOutsideChanges } from './outside-changes.ts'
import { reconcile } from './reconcile.ts'
import type { Sized, Stamped } from './record-kind.ts'
import { lookRegularly } from './regular-look.ts'
import { createSynchronised, type Synchronised } from './synchronise.ts'
import { createWriter, type Writer } from './writer.ts'

/**
 * Records in one scope of the engine's state, one row a record, with an index beside them that holds what lists show.
 *
 * Bodies are always read from the store. Of the index a copy is kept in memory, which is held against one small row of the store
 * before each list: several registries, on one engine or on engines that share a store, serve the same records.
 */
export interface Store<Row extends Stamped, Entry extends Sized> extends Writer<Row> {
  /**
   * Reads one record: one `state::get`.
   *
   * @throws Fault with the reason when the store cannot be read, `internal` when the row is not a record, `not_found` when the
   *   body went down with the engine's state.
   */
  read(key: string): Promise<Row | undefined>
  /**
   * Lists what is stored, in no particular order: one `state::get`, and the shards of the index that others changed. It is the same array
   * until something changes.
   *
   * @throws Fault with the reason when the store cannot be read, `too_large` when it has no index and is too large to get one.
   */
  list(): Promise<readonly Indexed<Entry>[]>
  /** What is known of a record without asking the store. */
  peek(key: string): Indexed<Entry> | undefined
  close(): void
}

export interface StoreOptions<Row extends Stamped, Entry extends Sized> extends BooksOptions<Row, Entry> {
  worker: Pick<
    Worker,
    | 'trigger'
    | 'registerFunction'
    | 'registerTrigger'
    | 'instance'
    | 'state'
    | 'onStateChange'
    | 'ownership'
    | 'onOwnershipChange'
  >
  /** Whether a store without an index gets an empty one, whatever records it holds. @default never */
  startsFresh?: () => boolean
  /** How often the index is held against the store when nobody lists, in milliseconds. @default 1000 */
  lookEveryMs?: number
}

/** Opens a store; it is read from the first connection on. */
export function openStore<Row extends Stamped, Entry extends Sized>(
  options: StoreOptions<Row, Entry>,
): Store<Row, Entry> {
  const { worker, scope, lookEveryMs = 1000, startsFresh = () => false } = options
  const herald = createHerald(worker, options.announce)
  const books = openBooks({ ...options, announce: herald.announce })
  const { mirror, log, doubt, written } = books
  const looks = createLooks((key) => reconcile(books, key), log)
  const index = createSynchronised(books, { startsFresh, onForeign: createJudge(books, looks) })
  const outside = watchOutsideChanges(worker, books, looks.add)
  const ignoreState = worker.onStateChange((state) => {
    if (state === 'connected') return
    written.hold()
    doubt.raise()
  })
  // Another registry has served meanwhile: what is known of the store is held against it before this one serves again.
  const ignoreOwnership = worker.onOwnershipChange(async ({ state }) => {
    if (state === 'returning') await index.refresh().catch(() => {})
  })
  const stopLooking = lookRegularly({ worker, log, scope, lookEveryMs }, async () => {
    await index.refresh()
    looks.retry()
  })

  return {
    read: createReader(books, index, looks),
    async list() {
      await index.refresh()
      return mirror.all()
    },
    ...createWriter(books, looks.add),
    peek: (key) => mirror.get(key),
    close() {
      outside.stop()
      stopLooking()
      ignoreState()
      ignoreOwnership()
      looks.stop()
      herald.stop()
    },
  }
}

/** Judges what other registries do to the index: two that write one record at the same time may leave the index of the one over the body of the other. */
function createJudge<Row extends Stamped, Entry extends Sized>(books: Books<Row, Entry>, looks: Looks) {
  const { cache, written, removed } = books
  return ({ key, before, after }: Change<Entry>): void => {
    const isContested = written.get(key) !== undefined || removed.get(key) !== undefined
    const isLostElsewhere = after?.lost === true && findCached(books, after) !== undefined
    if (isContested || isLostElsewhere) looks.add(key)
    if (after !== undefined) return
    cache.delete(key)
    if (before) removed.note(key, before.entry)
  }
}

function createReader<Row extends Stamped, Entry extends Sized>(
  books: Books<Row, Entry>,
  index: Synchronised,
  looks: Looks,
): Store<Row, Entry>['read'] {
  const { mirror, cache, kind } = books

  /** The engine may have come back without its state: it is given it back first. */
  async function readMissing(key: string): Promise<Row | undefined> {
    await index.refresh()
    const row = await readBody(books, key)
    if (row !== undefined) return row
    if (mirror.get(key)?.lost) throw lostBody(kind.what, key)
    looks.add(key)
    return undefined
  }

  return async (key) => {
    const row = await readBody(books, key)
    const known = mirror.get(key)
    if (row === undefined) return known && (await readMissing(key))
    if (known && !known.lost && row.registered_at === known.entry.registered_at) {
      cache.set(key, row, known.entry.bytes)
    } else if (mirror.epoch !== undefined) {
      looks.add(key)
    }
    return row
  }
}

function lostBody(what: string, key: string): Fault {
  return new Fault('not_found', `The text of ${what} ${key} went down with the engine's state: register it again`)
}

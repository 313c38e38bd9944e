import type { Worker } from '@iii/sdk'
import { type Collection, type CollectionOptions, findCached, openCollection } from './collection.ts'
import type { Indexed } from './indexed.ts'
import { createChangeOutbox } from './outbox.ts'
import { watchOutsideChanges } from './outside-changes.ts'
import { startPolling } from './poll.ts'
import { createPrefetch } from './prefetch.ts'
import { createReader } from './reader.ts'
import { reconcile } from './reconcile.ts'
import { createReconcileQueue, type ReconcileQueue } from './reconcile-queue.ts'
import type { Sized, Stamped } from './record-kind.ts'
import type { Change } from './replica.ts'
import { createSynchronised } from './synchronise.ts'
import { createRowWriter, type RowWriter } from './writer.ts'

/**
 * Records in one scope of the engine's state, one row a record, with an index beside them that holds what lists show.
 *
 * Bodies are always read from the store. Of the index a copy is kept in memory, which is held against one small row of the store
 * before each list: several registries, on one engine or on engines that share a store, serve the same records.
 */
export interface Store<Row extends Stamped, Entry extends Sized> extends RowWriter<Row> {
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
  /** Resolves when everything that was begun with a record here is done. */
  settle(key: string): Promise<void>
  /** What is known of a record without asking the store. */
  peek(key: string): Indexed<Entry> | undefined
  /** What is known of all records, without asking the store. */
  known(): readonly Indexed<Entry>[]
  close(): void
}

export interface StoreOptions<Row extends Stamped, Entry extends Sized> extends CollectionOptions<Row, Entry> {
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
  pollEveryMs?: number
}

/** Opens a store; it is read from the first connection on. */
export function openStore<Row extends Stamped, Entry extends Sized>(
  options: StoreOptions<Row, Entry>,
): Store<Row, Entry> {
  const { worker, scope, pollEveryMs = 1000, startsFresh = () => false } = options
  const outbox = createChangeOutbox(worker, options.announce)
  const collection = openCollection({ ...options, announce: outbox.announce })
  const { replica, log, verification, journal } = collection
  const queue = createReconcileQueue((key) => reconcile(collection, key), log)
  const index = createSynchronised(collection, { startsFresh, onForeign: createJudge(collection, queue) })
  const prefetch = createPrefetch(collection)
  const outside = watchOutsideChanges(worker, collection, queue.add)
  const ignoreState = worker.onStateChange((state) => {
    if (state === 'connected') return
    journal.hold()
    verification.invalidate()
  })
  // Another registry has served meanwhile: what is known of the store is held against it before this one serves again.
  const ignoreOwnership = worker.onOwnershipChange(async ({ state }) => {
    if (state === 'returning') await index.refresh().catch(() => {})
  })
  const stopPolling = startPolling({ worker, log, scope, pollEveryMs }, async () => {
    await index.refresh()
    queue.retry()
    prefetch.start()
  })
  const read = createReader(collection, index, queue)
  const { write, remove } = createRowWriter(collection, queue.add)

  return {
    read(key) {
      prefetch.giveWay()
      return read(key)
    },
    async list() {
      prefetch.giveWay()
      await index.refresh()
      return replica.all()
    },
    write(row, owner, permit) {
      prefetch.giveWay()
      return write(row, owner, permit)
    },
    remove(key, permit) {
      prefetch.giveWay()
      return remove(key, permit)
    },
    settle: (key) => collection.mutex.run(key, async () => undefined),
    peek: (key) => replica.get(key),
    known: () => replica.all(),
    close() {
      prefetch.stop()
      outside.stop()
      stopPolling()
      ignoreState()
      ignoreOwnership()
      queue.stop()
      outbox.stop()
      collection.head.close()
    },
  }
}

/** Judges what other registries do to the index: two that write one record at the same time may leave the index of the one over the body of the other. */
function createJudge<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  queue: ReconcileQueue,
) {
  const { cache, journal, removed } = collection
  return ({ key, before, after }: Change<Entry>): void => {
    const isContested = journal.get(key) !== undefined || removed.get(key) !== undefined
    const isLostElsewhere = after?.lost === true && findCached(collection, after) !== undefined
    if (isContested || isLostElsewhere) queue.add(key)
    if (after !== undefined) return
    cache.delete(key)
    if (before) removed.note(key, before.entry)
  }
}

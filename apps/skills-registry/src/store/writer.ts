import { type Collection, deleteBody, enter } from './collection.ts'
import { isTombstone, toShard } from './index-rows.ts'
import { type Indexed, toIndexed } from './indexed.ts'
import type { Sized, Stamped } from './record-kind.ts'
import type { ChangeEvent } from './replica.ts'
import { callStore, isOutcomeUnknown } from './store-fault.ts'

/** Judges, in turn with all other writes of the record, whether one may be done; what it throws is the answer. */
export type Permit = (known: { owner?: string | undefined; entry: Stamped } | undefined) => void

/** Writes records and the index of them. */
export interface RowWriter<Row extends Stamped> {
  /**
   * Stores a record; resolves when it is stored and indexed.
   *
   * @param owner name of the worker that registers it.
   * @throws Fault with the reason when the store did not accept it, or did not say in time.
   */
  write(row: Row, owner?: string, permit?: Permit): Promise<void>
  /**
   * Removes a record; resolves to whether there was one.
   *
   * @throws Fault with the reason when the store did not accept it, or did not say in time.
   */
  remove(key: string, permit?: Permit): Promise<boolean>
}

interface Mutation {
  key: string
  op: ChangeEvent['op']
  owner?: string | undefined
  permit: Permit | undefined
}

/** What a mutation did: `touch` is called once the store may hold something else than the index says. */
type Work<T, Entry> = (known: Indexed<Entry> | undefined, touch: () => void) => Promise<Done<T>>

interface Done<T> {
  result: T
  change?: ChangeEvent
}

/** @param reconcileLater is called with the key of each record whose index may be wrong. */
export function createRowWriter<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  reconcileLater: (key: string) => void,
): RowWriter<Row> {
  const { bodies, kind, replica, cache, mutex, rows, head, writing, journal, removed, announce } = collection

  async function readIndexed(key: string): Promise<Indexed<Entry> | undefined> {
    const row = await rows.get(key)
    return isTombstone(row) ? undefined : row
  }

  /** Who may write must not be judged by what was true a second ago; for telling who wrote before, that is good enough. */
  async function readKnown(key: string, permit: Permit | undefined): Promise<Indexed<Entry> | undefined> {
    if (permit) return await readIndexed(key)
    if (replica.epoch !== undefined) return replica.get(key)
    return await readIndexed(key).catch(() => undefined)
  }

  /**
   * Stores a record and its entry side by side, and counts them. When only one of the two is there after a crash, the index is not what the
   * record says: whoever starts with the store, or reads the record, finds that.
   *
   * @returns what was stored under its key before
   */
  async function storeBoth(row: Row, item: Indexed<Entry>, touch: () => void): Promise<unknown> {
    const { key } = item
    writing.set(key, row)
    const storing = callStore('state::set', () => bodies.set(key, row))
    const { counted, close } = head.open(toShard(key))
    const [stored, listed, told] = await Promise.allSettled([storing, rows.put(item), counted])
    close()
    writing.delete(key)
    if (stored.status === 'fulfilled' || listed.status === 'fulfilled') touch()
    if (stored.status === 'rejected') throw stored.reason
    cache.set(key, row, kind.sizeOf(item.entry))
    journal.note(key, { item })
    removed.forget(key)
    if (listed.status === 'rejected') throw listed.reason
    replica.set(item)
    if (told.status === 'rejected') throw told.reason
    return stored.value
  }

  /** Does something to a record in turn; `work` says what to announce of it. */
  function mutate<T>({ key, op, owner, permit }: Mutation, work: Work<T, Entry>): Promise<T> {
    return mutex.run(key, async () => {
      const known = await readKnown(key, permit)
      permit?.(known)
      let isTouched = false
      try {
        const { result, change } = await work(known, () => {
          isTouched = true
        })
        if (change) announce(change)
        return result
      } catch (error) {
        if (isTouched || isOutcomeUnknown(error)) {
          reconcileLater(key)
          // An event too many costs a reading; one too few leaves subscribers behind for good.
          announce({ key, op, changed: true, owner, previousOwner: known?.owner })
        }
        throw error
      }
    })
  }

  return {
    write(row, owner, permit) {
      const key = kind.keyOf(row)
      return mutate({ key, op: 'register', owner, permit }, async (known, touch) => {
        const item = toIndexed(kind, row, owner)
        const old = kind.schema.safeParse(await replica.holding(key, () => storeBoth(row, item, touch))).data
        const changed = old === undefined || kind.contentOf(old) !== kind.contentOf(row)
        return { result: undefined, change: { key, op: 'register', changed, owner, previousOwner: known?.owner } }
      })
    },
    remove(key, permit) {
      return mutate({ key, op: 'unregister', permit }, async (known, touch) => {
        const { deleted, row } = await deleteBody(collection, key, (entry) => {
          touch()
          if (entry) permit?.({ owner: known?.owner, entry })
        })
        cache.delete(key)
        if (deleted === undefined && !known) return { result: false }
        const stamp = row ?? known?.entry
        journal.note(key, { item: undefined })
        if (stamp) removed.note(key, { registered_at: stamp.registered_at })
        await enter(collection, key, undefined)
        const change = { key, op: 'unregister', changed: true, owner: undefined, previousOwner: known?.owner } as const
        return { result: true, change }
      })
    },
  }
}

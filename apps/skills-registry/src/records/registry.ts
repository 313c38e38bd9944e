import { toScope } from '@iii/protocol'
import type { Call, Logger, Settings, Worker } from '@iii/sdk'
import type { Options } from '../options.ts'
import type { Indexed } from '../store/indexed.ts'
import type { RecordKind, Sized, Stamped } from '../store/record-kind.ts'
import type { ChangeEvent } from '../store/replica.ts'
import { openStore, type Store } from '../store/store.ts'
import type { Permit } from '../store/writer.ts'
import { type Owners, requireOwner } from './owners.ts'
import { memoize, memoizeEach } from './remembered.ts'

/** What lists show of a record: its entry, and who registered it. */
export type Listed<Entry> = Entry & { owner: string | undefined }

/** Records of one kind, in the scope that the settings name. */
export interface Registry<Row extends Stamped, Entry> {
  /** @throws Fault with the reason when the store cannot be read, `internal` when the row is not a record. */
  read(key: string): Promise<Row | undefined>
  /**
   * Lists what is stored, in no particular order and without reading a body; the same array until something changes.
   *
   * @throws Fault with the reason when the store cannot be read.
   */
  list(): Promise<readonly Listed<Entry>[]>
  /**
   * Stores a record and stamps it; resolves to the stamp when the store has accepted it.
   *
   * @throws Fault `forbidden` when it belongs to another worker and ownership is strict; else with the reason of the store.
   */
  write(content: Omit<Row, 'registered_at'>, call: Call): Promise<string>
  /** @throws Fault `forbidden` when `write` would, as far as is known before it is tried. */
  requirePermit(key: string, call: Call): Promise<void>
  /** Resolves when what is being done to a record is done, and lists show it. */
  settle(key: string): Promise<void>
  /** Where the worker is that calls, if in another namespace than this registry. */
  namespaceOf(call: Call): Promise<string | undefined>
  /** Removes a record; resolves to whether there was one. Throws as `write` does. */
  remove(key: string, call: Call): Promise<boolean>
}

export interface RegistryOptions<Row extends Stamped, Entry extends Sized> {
  worker: Worker
  settings: Settings<Options>
  /** The setting that names the scope. */
  scope: 'skillsScope' | 'promptsScope'
  kind: RecordKind<Row, Entry>
  owners: Owners
  /** Gives every registration its time. */
  stamp(): string
  /** Hears of each change once, those of one record in the order of the writes. */
  announce(change: ChangeEvent): void
  log: Logger
}

export function createRegistry<Row extends Stamped, Entry extends Sized>(
  options: RegistryOptions<Row, Entry>,
): Registry<Row, Entry> {
  const { kind, owners, settings } = options
  const store = keepStoreOpen(options)
  const toListed = memoizeEach(({ entry, owner }: Indexed<Entry>): Listed<Entry> => ({ ...entry, owner }))
  const listed = memoize((items: readonly Indexed<Entry>[]) => items.map(toListed))

  function toPermit(key: string, by: string | undefined): Permit | undefined {
    if (settings.value.ownership === 'open') return undefined
    return (known) => requireOwner(`The ${kind.what} ${key}`, known?.owner, by)
  }

  return {
    read: (key) => store().read(key),
    list: async () => listed(await store().list()),
    async write(content, { callerWorkerId }) {
      const owner = await owners.nameOf(callerWorkerId)
      const row = { ...content, registered_at: options.stamp() } as Row
      await store().write(row, owner, toPermit(kind.keyOf(row), owner))
      return row.registered_at
    },
    async requirePermit(key, { callerWorkerId }) {
      const permit = toPermit(key, await owners.nameOf(callerWorkerId))
      if (permit === undefined) return
      await store().list()
      permit(store().peek(key))
    },
    settle: (key) => store().settle(key),
    namespaceOf: ({ callerWorkerId }) => owners.namespaceOf(callerWorkerId),
    async remove(key, { callerWorkerId }) {
      return await store().remove(key, toPermit(key, await owners.nameOf(callerWorkerId)))
    },
  }
}

/**
 * Opens the store of the scope that the settings name, and another one when they change. While they are locked there is none: nobody
 * knows then where the records are.
 */
function keepStoreOpen<Row extends Stamped, Entry extends Sized>(
  options: RegistryOptions<Row, Entry>,
): () => Store<Row, Entry> {
  const { worker, settings, scope: which, kind, log } = options
  let current: { store: Store<Row, Entry>; scope: string } | undefined
  const timeoutMs = () => settings.value.stateTimeoutMs
  const startsFresh = () => settings.value.freshIndex

  function ensure(): Store<Row, Entry> {
    const scope = toScope(settings.value[which], worker.namespace)
    if (current?.scope === scope) return current.store
    current?.store.close()
    const store = openStore({ worker, scope, timeoutMs, startsFresh, kind, log, announce })
    current = { store, scope }
    return store
  }

  function announce(change: ChangeEvent): void {
    const { key, owner, previousOwner } = change
    if (owner !== undefined && previousOwner !== undefined && owner !== previousOwner) {
      log.warn({ [kind.what]: key, owner, previous_owner: previousOwner }, 'overwritten by another worker')
    }
    options.announce(change)
  }

  const follow = () => {
    if (settings.locked === undefined) ensure()
  }
  settings.onChange(follow)
  follow()
  worker.onShutdown(() => current?.store.close())
  return ensure
}

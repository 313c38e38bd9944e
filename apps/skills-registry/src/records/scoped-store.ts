import { toScope } from '@iii/protocol'
import type { Settings, Worker } from '@iii/sdk'
import { type Options, refuseLocked } from '../options.ts'
import { hasIndex } from '../store/collection.ts'
import type { Sized, Stamped } from '../store/record-kind.ts'
import { openStore, type Store, type StoreOptions } from '../store/store.ts'

/** The store of the scope that the settings name, and another one when they change. */
export interface ScopedStore<Row extends Stamped, Entry extends Sized> {
  /** @throws Fault `unavailable` where it would have to be opened while nobody knows which scope is meant. */
  open(): Store<Row, Entry>
  /** Undefined where nothing has opened it yet. */
  opened(): Store<Row, Entry> | undefined
  /** Whether some registry has opened it, now or ever: one `state::get`. @throws Fault with the reason when that cannot be read. */
  exists(): Promise<boolean>
}

export interface ScopedStoreOptions<Row extends Stamped, Entry extends Sized>
  extends Pick<StoreOptions<Row, Entry>, 'kind' | 'announce' | 'onKnown' | 'log'> {
  worker: Worker
  settings: Settings<Options>
  /** The name of the scope. */
  nameOf(options: Options): string
}

export function createScopedStore<Row extends Stamped, Entry extends Sized>({
  settings,
  nameOf,
  ...options
}: ScopedStoreOptions<Row, Entry>): ScopedStore<Row, Entry> {
  const { worker } = options
  let current: { store: Store<Row, Entry>; scope: string } | undefined
  const scopeOf = () => toScope(nameOf(settings.value), worker.namespace)
  const timeoutMs = () => settings.value.stateTimeoutMs
  const startsFresh = () => settings.value.freshIndex

  function opened(): Store<Row, Entry> | undefined {
    if (current !== undefined && current.scope !== scopeOf()) {
      current.store.close()
      current = undefined
    }
    return current?.store
  }

  function open(): Store<Row, Entry> {
    const known = opened()
    if (known !== undefined) return known
    if (settings.locked !== undefined) refuseLocked(settings.locked)
    const scope = scopeOf()
    const store = openStore({ ...options, scope, timeoutMs, startsFresh })
    current = { store, scope }
    return store
  }

  const exists = () => hasIndex({ worker, scope: scopeOf(), timeoutMs })
  worker.onShutdown(() => current?.store.close())
  return { open, opened, exists }
}

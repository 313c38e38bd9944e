import { toFault } from '@iii/protocol'
import type { Call, Logger, Settings, Worker } from '@iii/sdk'
import type { Options } from '../options.ts'
import type { Indexed } from '../store/indexed.ts'
import type { RecordKind, Sized, Stamped } from '../store/record-kind.ts'
import { type ChangeEvent, toChangeEvent } from '../store/replica.ts'
import type { Store } from '../store/store.ts'
import type { Permit } from '../store/writer.ts'
import { refuseAway, refuseLease, type WorkerLeases } from './leases.ts'
import { type Owners, requireOwner } from './owners.ts'
import { memoize, memoizeEach } from './remembered.ts'
import { createScopedStore, type ScopedStore } from './scoped-store.ts'

/** What lists show of a record: its entry, and who registered it. */
export type Listed<Entry> = Entry & { owner: string | undefined }

/** The same with the worker that it is away with. */
export type Surveyed<Entry> = Listed<Entry> & { away?: string | undefined }

/** What a record may have beside its own fields: the name of the worker that it lives as long as. */
export interface Leased {
  lease?: string | undefined
}

/** Records of one kind, in the scope that the settings name. */
export interface Registry<Row extends Stamped & Leased, Entry> {
  /**
   * @throws Fault with the reason when the store cannot be read, `internal` when the row is not a record, `unavailable` for one that is
   *   away with its worker.
   */
  read(key: string): Promise<Row | undefined>
  /**
   * Lists what is stored and not away, in no particular order and without reading a body; the same array until something changes.
   *
   * @throws Fault with the reason when the store cannot be read.
   */
  list(): Promise<readonly Listed<Entry>[]>
  /** All that is stored, whether its worker is there or not. The first two throw as those above do. */
  readonly stored: {
    read(key: string): Promise<Row | undefined>
    list(): Promise<readonly Listed<Entry>[]>
  }
  /** For operators: all that is stored, with `away` where it is. Throws as `list` does. */
  survey(): Promise<readonly Surveyed<Entry>[]>
  /**
   * Stores a record and stamps it; resolves to the stamp when the store has accepted it.
   *
   * @param isLeased whether it lives as long as the worker that registers it.
   * @throws Fault `forbidden` when it belongs to another worker and ownership is strict, `unavailable` for a lease of nobody knows whom; else
   *   with the reason of the store.
   */
  write(content: Omit<Row, 'registered_at' | 'lease'>, call: Call, isLeased?: boolean): Promise<string>
  /** @throws Fault `forbidden` when `write` would, as far as is known before it is tried. */
  requirePermit(key: string, call: Call): Promise<void>
  /** Resolves when what is being done to a record is done, and lists show it. */
  settle(key: string): Promise<void>
  /** The name of the worker that calls; that of its connection where the engine does not say. */
  ownerOf(call: Call): Promise<string>
  /** Where the worker is that calls, if in another namespace than this registry. */
  namespaceOf(call: Call): Promise<string | undefined>
  /** Removes a record; resolves to whether there was one. Throws as `write` does. */
  remove(key: string, call: Call): Promise<boolean>
}

export interface RegistryOptions<Row extends Stamped & Leased, Entry extends Sized & Leased> {
  worker: Worker
  settings: Settings<Options>
  /** The setting that names the scope. */
  scope: 'skillsScope' | 'promptsScope'
  kind: RecordKind<Row, Entry>
  owners: Owners
  leases: WorkerLeases
  /** Gives every registration its time. */
  stamp(): string
  /** Hears of each change once, those of one record in the order of the writes. */
  announce(change: ChangeEvent): void
  /** Hears of each entry as soon as it is known here, whoever wrote it. */
  onKnown?: ((entry: Entry) => void) | undefined
  log: Logger
}

export function createRegistry<Row extends Stamped & Leased, Entry extends Sized & Leased>(
  options: RegistryOptions<Row, Entry>,
): Registry<Row, Entry> {
  const { kind, owners, leases, settings } = options
  const { open: store, opened } = keepStoreOpen(options)
  const toListed = memoizeEach(({ entry, owner }: Indexed<Entry>): Listed<Entry> => ({ ...entry, owner }))
  const listed = memoize((items: readonly Indexed<Entry>[]) => items.map(toListed))
  const list = async () => listed(await store().list())
  const read = (key: string) => store().read(key)
  const present = memoizePair<Listed<Entry>, readonly Listed<Entry>[]>(toPresent)
  const survey = memoizePair<Listed<Entry>, readonly Surveyed<Entry>[]>(toSurvey)
  const isAway = async (holder: string) => (await leases.away()).has(holder)

  leases.watch(
    async () => holdersOf(await list()),
    (holder, hasLeft) => {
      const op = hasLeft ? 'unregister' : 'register'
      const tell = ({ key, owner, entry }: Indexed<Entry>) => {
        if (entry.lease === holder) options.announce({ key, op, changed: true, owner, previousOwner: owner })
      }
      for (const item of opened()?.known() ?? []) tell(item)
    },
  )

  function toPermit(key: string, by: string | undefined): Permit | undefined {
    if (settings.value.ownership === 'open') return undefined
    return (known) => requireOwner(`The ${kind.what} ${key}`, known?.owner, by)
  }

  return {
    async read(key) {
      const row = await read(key)
      if (row?.lease !== undefined && (await isAway(row.lease))) refuseAway(`The ${kind.what} ${key}`, row.lease)
      return row
    },
    async list() {
      const all = await list()
      return holdersOf(all).size === 0 ? all : present(all, await leases.away())
    },
    stored: { read, list },
    async survey() {
      const all = await list()
      return holdersOf(all).size === 0 ? all : survey(all, await leases.away())
    },
    async write(content, { callerWorkerId }, isLeased = false) {
      const owner = await owners.nameOf(callerWorkerId)
      const lease = isLeased ? { lease: owner } : {}
      const row = { ...content, ...lease, registered_at: options.stamp() } as Row
      const key = kind.keyOf(row)
      if (isLeased && owner === undefined) refuseLease(`The ${kind.what} ${key}`)
      await store().write(row, owner, toPermit(key, owner))
      if (row.lease !== undefined) leases.seen(row.lease)
      return row.registered_at
    },
    async requirePermit(key, { callerWorkerId }) {
      const permit = toPermit(key, await owners.nameOf(callerWorkerId))
      if (permit === undefined) return
      await store().list()
      permit(store().peek(key))
    },
    settle: (key) => store().settle(key),
    ownerOf: async ({ callerWorkerId }) => (await owners.nameOf(callerWorkerId)) ?? `${callerWorkerId ?? ''}#`,
    namespaceOf: ({ callerWorkerId }) => owners.namespaceOf(callerWorkerId),
    async remove(key, { callerWorkerId }) {
      return await store().remove(key, toPermit(key, await owners.nameOf(callerWorkerId)))
    },
  }
}

/** The workers that records live as long as. */
const holdersOf = memoizeEach(
  (all: readonly Leased[]): ReadonlySet<string> =>
    new Set(all.flatMap(({ lease }) => (lease === undefined ? [] : [lease]))),
)

/** Makes something of a list and of who is away; the same for the same two. */
function memoizePair<Entry, R>(make: (all: readonly Entry[], away: ReadonlySet<string>) => R) {
  let last: { all: readonly Entry[]; away: ReadonlySet<string>; made: R } | undefined
  return (all: readonly Entry[], away: ReadonlySet<string>): R => {
    if (last?.all !== all || last.away !== away) last = { all, away, made: make(all, away) }
    return last.made
  }
}

function toPresent<Entry extends Leased>(all: readonly Entry[], away: ReadonlySet<string>): readonly Entry[] {
  return away.size === 0 ? all : all.filter(({ lease }) => lease === undefined || !away.has(lease))
}

function toSurvey<Entry extends Leased>(all: readonly Entry[], away: ReadonlySet<string>): readonly Entry[] {
  if (away.size === 0) return all
  return all.map((one) => (one.lease !== undefined && away.has(one.lease) ? { ...one, away: one.lease } : one))
}

/** Keeps the store open that the settings name, so that changes are heard of; while they are locked there is none. */
function keepStoreOpen<Row extends Stamped & Leased, Entry extends Sized & Leased>(
  options: RegistryOptions<Row, Entry>,
): ScopedStore<Row, Entry> {
  const { worker, settings, scope, kind, log } = options

  function announce(change: ChangeEvent): void {
    const { key, owner, previousOwner } = change
    if (owner !== undefined && previousOwner !== undefined && owner !== previousOwner) {
      log.warn({ [kind.what]: key, owner, previous_owner: previousOwner }, 'overwritten by another worker')
    }
    options.announce(change)
  }

  const stores = createScopedStore({ ...options, nameOf: (value) => value[scope], announce })
  let last: Store<Row, Entry> | undefined
  const follow = () => {
    if (settings.locked !== undefined) return
    const before = last
    last = stores.open()
    if (before === undefined || before === last || worker.ownership.state !== 'serving') return
    tellMove(before.known(), last, options.announce).catch((error: unknown) =>
      log.warn({ reason: toFault(error).message }, `nobody was told of the ${kind.what}s of another scope`),
    )
  }
  settings.onChange(follow)
  follow()
  return stores
}

/** Tells what is another one in the scope that counts now. */
async function tellMove<Row extends Stamped & Leased, Entry extends Sized & Leased>(
  before: readonly Indexed<Entry>[],
  store: Store<Row, Entry>,
  announce: (change: ChangeEvent) => void,
): Promise<void> {
  const former = toMap(before)
  const present = toMap(await store.list())
  for (const key of new Set([...former.keys(), ...present.keys()])) {
    const change = toChangeEvent({ key, before: former.get(key), after: present.get(key) })
    if (change.changed) announce(change)
  }
}

function toMap<Entry>(all: readonly Indexed<Entry>[]): Map<string, Indexed<Entry>> {
  return new Map(all.map((item) => [item.key, item]))
}

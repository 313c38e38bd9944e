import type { Logger } from '../log.ts'
import { within } from '../pause.ts'
import type { Stranger } from './look.ts'
import { formatOwner, type Owner, type Ownership, type OwnershipListener } from './ownership.ts'
import { explainOwner, explainReturn, explainSilence, type Remedy } from './standing-text.ts'

/** How this worker stands among those that register the same, told to listeners and to the log. */
export interface Standing {
  readonly current: Ownership
  onChange(listener: OwnershipListener): () => void
  /** Some of our functions belong to others. */
  standBy(lost: ReadonlyMap<string, Stranger>): Promise<void>
  /** Nobody has what we are about to register again. Resolves when the listeners are ready for it. */
  comeBack(): Promise<void>
  /** Everything is ours. */
  serve(): void
  /** The process that has what is ours answers nothing since then, or answers again. */
  hear(owner: Owner, silentSince: Date | undefined): void
}

export interface StandingOptions {
  log: Logger
  listenersMs: number
  /** Does this worker take nothing that others have? */
  defers(): boolean
  /** Whether the engine left it to whoever had it already. */
  isRefused(id: string): boolean
  /** Who stands behind a nonce. */
  readCard(instance: string): Promise<Owner | undefined>
}

export function createStanding({ log, listenersMs, defers, isRefused, readCard }: StandingOptions): Standing {
  let current: Ownership = { state: 'serving', since: new Date(), lost: [], owner: undefined }
  /** Those who were named since everything was ours, by nonce or name. */
  const named = new Map<string, Owner>()
  /** Whether what belongs to others has never been ours: they had it first, and keep it. */
  let isSecond = false
  const listeners = new Set<OwnershipListener>()

  function how(): Remedy {
    if (defers()) return 'left'
    return isSecond ? 'kept' : 'free'
  }

  async function tell(next: Ownership): Promise<void> {
    current = next
    const complain = (error: unknown) => log.error({ reason: String(error) }, 'a listener to ownership failed')
    await Promise.all([...listeners].map(async (listener) => listener(next)).map((told) => told.catch(complain)))
  }

  async function name(stranger: Stranger, ids: readonly string[]): Promise<Owner> {
    const key = stranger.instance ?? stranger.workerName
    const known = named.get(key)
    if (known !== undefined) return known
    const card = stranger.instance && (await readCard(stranger.instance).catch(() => undefined))
    const owner = card || { name: stranger.workerName, instance: stranger.instance }
    named.set(key, owner)
    const who = `${card ? '' : 'probably '}${formatOwner(owner)}`
    log.warn({ owner, functions: ids.length }, explainOwner(who, ids, how()))
    return owner
  }

  return {
    get current() {
      return current
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async standBy(lost) {
      isSecond = [...lost.keys()].some(isRefused)
      const owners = await Promise.all([...groupByOwner(lost)].map(([stranger, ids]) => name(stranger, ids)))
      const ids = [...lost.keys()]
      const isSameOwner = current.owner === owners[0]
      if (current.state === 'standby' && sameItems(current.lost, ids) && isSameOwner) return
      const since = current.state === 'serving' ? new Date() : current.since
      const { silentSince } = current
      const next: Ownership = { state: 'standby', since, lost: ids, owner: owners[0] }
      void tell(isSameOwner && silentSince !== undefined ? { ...next, silentSince } : next)
    },
    async comeBack() {
      const since = current.state === 'serving' ? new Date() : current.since
      await within(listenersMs, tell({ ...current, state: 'returning', since }))
    },
    serve() {
      if (current.state === 'serving') return
      const { owner, since } = current
      log.info({ owner, since }, explainReturn(owner, how()))
      named.clear()
      void tell({ state: 'serving', since: new Date(), lost: [], owner: undefined })
    },
    hear(owner, silentSince) {
      if (current.state !== 'standby' || current.owner?.instance !== owner.instance) return
      const { silentSince: before, ...rest } = current
      if (silentSince === undefined) {
        log.info({ owner, since: before }, `${formatOwner(owner)} answers again`)
        void tell(rest)
      } else {
        log.warn({ owner, since: silentSince }, explainSilence(owner, silentSince, current.lost, how()))
        void tell({ ...rest, silentSince })
      }
    },
  }
}

function groupByOwner(lost: ReadonlyMap<string, Stranger>): Map<Stranger, string[]> {
  const groups = new Map<string, { stranger: Stranger; ids: string[] }>()
  for (const [id, stranger] of lost) {
    const key = stranger.instance ?? stranger.workerName
    const group = groups.get(key) ?? { stranger, ids: [] }
    group.ids.push(id)
    groups.set(key, group)
  }
  return new Map([...groups.values()].map(({ stranger, ids }) => [stranger, ids]))
}

function sameItems(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at])
}

import { Fault } from '@iii/protocol'
import { createStateScope, type Logger, type StateScope, type Worker } from '@iii/sdk'
import { z } from 'zod'
import { coalesce } from '../store/concurrency.ts'
import type { Owners } from './owners.ts'

/** Tells whose records are in no list, because the worker that they live as long as has left. */
export interface WorkerLeases {
  /** The names of those workers; the same set until it changes. Resolves when each was looked for once. */
  away(): Promise<ReadonlySet<string>>
  /** A worker has just shown that it is there. */
  seen(holder: string): void
  /** @param holders names the workers that records live as long as @param onChange hears who has left or come back */
  watch(holders: () => Promise<ReadonlySet<string>>, onChange: (holder: string, isAway: boolean) => void): void
}

export interface LeasesOptions {
  worker: Pick<Worker, 'trigger' | 'state' | 'onStateChange' | 'ownership' | 'onOwnershipChange' | 'onShutdown'>
  owners: Pick<Owners, 'present'>
  /** The scope of the signs of life that registries on other engines need, which see other workers. */
  scope(): string
  /** So long a worker may be away. In milliseconds. */
  leaseMs(): number
  timeoutMs(): number
  log: Logger
  now?: () => number
}

/** So often a worker is looked for in the time that it may be away, and at least so often, in milliseconds. */
const LOOKS = 6
const MOST_MS = 5000
const LEAST_MS = 100

/** Refuses what lives as long as a worker that has left. */
export function refuseAway(what: string, holder: string): never {
  throw new Fault('unavailable', `${what} is away with its worker '${holder}', and is back when that is`)
}

/** Refuses what would live as long as nobody knows which worker. */
export function refuseLease(what: string): never {
  throw new Fault('unavailable', `${what} cannot have a lease: the engine does not say which worker registers it`)
}

export function createWorkerLeases(options: LeasesOptions): WorkerLeases {
  const { worker, log, leaseMs, now = Date.now } = options
  const watched: Parameters<WorkerLeases['watch']>[] = []
  const lookout = createLookout(options)
  let away: ReadonlySet<string> = new Set()
  let hasLooked = false
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function judge(): void {
    const limit = now() - leaseMs()
    const next = new Set([...lookout.seenAt].flatMap(([holder, at]) => (at <= limit ? [holder] : [])))
    const changed = [...next].filter((holder) => !away.has(holder)).concat([...away].filter((one) => !next.has(one)))
    if (changed.length === 0) return
    away = next
    for (const holder of changed) {
      log.info({ worker: holder }, next.has(holder) ? 'has left, and its leased records with it' : 'is back')
      for (const [, onChange] of watched) onChange(holder, next.has(holder))
    }
  }

  const look = coalesce(async () => {
    const holders = await Promise.all(watched.map(([find]) => find()))
    await lookout.look(new Set(holders.flatMap((names) => [...names])))
    hasLooked = true
    judge()
  })

  function schedule(): void {
    if (isStopped) return
    const everyMs = Math.max(LEAST_MS, Math.min(MOST_MS, leaseMs() / LOOKS))
    timer = setTimeout(() => void lookIfServing().then(schedule, later), everyMs).unref()
  }
  /** Who is asked looks also when it does not know yet that it serves: what has not been looked for would be in its lists. */
  async function lookIfServing(): Promise<void> {
    if (worker.state === 'connected' && worker.ownership.state === 'serving') await look()
  }
  function later(error: unknown): void {
    log.debug({ reason: String(error) }, 'who holds leases cannot be looked for; trying again')
    schedule()
  }
  schedule()
  const ignoreState = worker.onStateChange((state) => {
    if (state === 'connected') lookout.excuse(away)
  })
  // Another registry has served meanwhile: what was seen before says nothing.
  const ignoreOwnership = worker.onOwnershipChange(async ({ state }) => {
    if (state !== 'returning') return
    lookout.seenAt.clear()
    hasLooked = false
  })
  worker.onShutdown(() => {
    isStopped = true
    clearTimeout(timer)
    ignoreState()
    ignoreOwnership()
  })

  return {
    async away() {
      if (!hasLooked) await look()
      return away
    },
    seen(holder) {
      lookout.seenAt.set(holder, now())
      judge()
    },
    watch: (...both) => void watched.push(both),
  }
}

const Beat = z.object({ name: z.string(), at: z.number() })

/** Notes when each holder was seen last, on this engine or by a registry on another one with the same store. */
function createLookout({ worker, owners, scope, leaseMs, timeoutMs, now = Date.now }: LeasesOptions) {
  const seenAt = new Map<string, number>()
  const beats = new Map<string, number>()

  const open = (): StateScope<unknown> =>
    createStateScope({ trigger: (request) => worker.trigger({ ...request, timeoutMs: timeoutMs() }) }, scope())

  async function readBeats(rows: StateScope<unknown>): Promise<Map<string, number>> {
    const found = (await rows.list()).flatMap((row) => Beat.safeParse(row).data ?? [])
    return new Map(found.map(({ name, at }) => [name, at]))
  }

  /** Its row tells others; so that a registry which begins anew knows when it was, it is of the clock on the wall. */
  async function beat(rows: StateScope<unknown>, holder: string, last: number | undefined): Promise<void> {
    seenAt.set(holder, now())
    if (last !== undefined && Math.abs(now() - last) < leaseMs() / 3) return
    beats.set(holder, now())
    await rows.set(holder, { name: holder, at: now() })
  }

  /** One that is not here may be on another engine, whose clock may be another: a sign of life is one that is new. */
  function notice(holder: string, last: number | undefined): void {
    const isNew = last !== undefined && last !== beats.get(holder)
    if (!seenAt.has(holder)) seenAt.set(holder, Math.min(last ?? now(), now()))
    else if (isNew) seenAt.set(holder, now())
    if (last !== undefined) beats.set(holder, last)
  }

  /** Nothing lives as long as they do any more. */
  async function forget(names: readonly string[]): Promise<void> {
    for (const name of new Set(names)) {
      seenAt.delete(name)
      beats.delete(name)
      await open().delete(name)
    }
  }

  return {
    seenAt,
    async look(holders: ReadonlySet<string>): Promise<void> {
      if (holders.size === 0 && seenAt.size === 0) return
      const rows = open()
      const [present, stored] = await Promise.all([owners.present(), readBeats(rows)])
      await forget([...seenAt.keys(), ...stored.keys()].filter((name) => !holders.has(name)))
      for (const holder of holders) {
        const last = stored.get(holder)
        if (present.has(holder)) await beat(rows, holder, last)
        else notice(holder, last)
      }
    },
    /** While the engine was away nobody could be there. */
    excuse(away: ReadonlySet<string>): void {
      for (const name of seenAt.keys()) if (!away.has(name)) seenAt.set(name, now())
    },
  }
}

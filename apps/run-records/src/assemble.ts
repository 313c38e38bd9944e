import type { Logger, Worker } from '@iii/sdk'
import { createHolder, type LockHolder } from './lock/holder.ts'
import { lockClock } from './lock/lease.ts'
import { createLockStore } from './lock/lock-store.ts'
import { createLocks, type Locks } from './lock/locks.ts'
import { LOCK_TIMINGS, type LockTimings } from './lock/timings.ts'
import type { Options } from './options.ts'
import { createRunner, type Runner } from './runner/runner.ts'
import { createRunStore, type RunStore } from './store/store.ts'

/** What the worker and the command line are made of: the same parts, each on its own connection. */
export interface Assembled {
  readonly store: RunStore
  readonly locks: Locks
  readonly holder: LockHolder
  readonly runner: Runner
}

export interface AssembleParts {
  readonly worker: Worker
  options(): Options
  readonly log: Logger
  /** @default those that every process on the engine has */
  readonly timings?: Partial<LockTimings> | undefined
}

export function assemble({ worker, options, log, timings }: AssembleParts): Assembled {
  const pace = { ...LOCK_TIMINGS, ...timings }
  const store = createRunStore(worker, () => options().stateTimeoutMs)
  const locks = createLocks(createLockStore(worker, pace.callTimeoutMs), pace, lockClock)
  const holder = createHolder(worker)
  const runner = createRunner({ worker, store, locks, holder, options, log })
  return { store, locks, holder, runner }
}

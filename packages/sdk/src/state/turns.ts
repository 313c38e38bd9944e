import { AsyncLocalStorage } from 'node:async_hooks'
import { Fault } from '@iii/protocol'
import { within } from '../pause.ts'
import { type NamesOf, refuseMistyped, requireMs } from '../suggestions/mistyped.ts'
import { checkTurnMs, createLeases, type LeaseCall } from './lease.ts'
import { requireKey } from './state-input.ts'

export interface TurnOptions {
  /** How long it waits for its turn; then the Fault is `overloaded`. @default 15_000 */
  waitMs?: number | undefined
  /** How long the work may take; then the Fault is `deadline`, and the next one has its turn. At most 600_000. @default 10_000 */
  turnMs?: number | undefined
}

/** What work in its turn is handed. */
export interface Turn {
  /** Fires when the turn is over before the work is done. */
  readonly signal: AbortSignal
}

/** Does work on a key while nobody else does. */
export type InTurn = <T>(key: string, work: (turn: Turn) => T | Promise<T>, options?: TurnOptions) => Promise<T>

interface RunningTurn extends Turn {
  readonly scope: string
  readonly key: string
  readonly outer: RunningTurn | undefined
  isOver: boolean
}

const storage = new AsyncLocalStorage<RunningTurn>()

/** The signal of the turn that the present work belongs to: what it still has to write when that fires must not be written. */
export function currentTurnSignal(): AbortSignal | undefined {
  return storage.getStore()?.signal
}

/**
 * Turns for the keys of a scope. Within this process they come in the order asked; between processes that share a store, whoever claims
 * first after the one before is done.
 */
export function createTurns(scope: string, call: LeaseCall): InTurn {
  const leases = createLeases(call)
  const latest = new Map<string, Promise<unknown>>()

  async function waitAndRun<T>(key: string, work: (turn: Turn) => T | Promise<T>, options: TurnOptions) {
    const { waitMs = 15_000, turnMs = 10_000 } = options
    const waitUntil = performance.now() + waitMs
    await within(waitMs, latest.get(key) ?? Promise.resolve())
    const endsAt = await leases.take(key, { ms: turnMs, waitUntil })
    if (endsAt === undefined) throw waitedTooLong(scope, key, waitMs)
    try {
      return await runTurn({ scope, key, endsAt, turnMs }, work)
    } finally {
      // Past its end it may be somebody else's. One that cannot be given back ends by itself.
      if (performance.now() < endsAt) await leases.release(key).catch(() => undefined)
    }
  }

  return async (key, work, options = {}) => {
    requireKey(scope, key)
    refuseWithin(scope, key)
    requireTurn(key, work, options)
    checkTurnMs(options.turnMs ?? 1)
    const before = latest.get(key)
    const turn = waitAndRun(key, work, options)
    // Whoever gave up waiting has not ended the turns before its own.
    const settled = Promise.allSettled([before, turn])
    latest.set(key, settled)
    try {
      return await turn
    } finally {
      if (latest.get(key) === settled) latest.delete(key)
    }
  }
}

interface TurnTerms {
  scope: string
  key: string
  endsAt: number
  turnMs: number
}

async function runTurn<T>({ scope, key, endsAt, turnMs }: TurnTerms, work: (turn: Turn) => T | Promise<T>) {
  const controller = new AbortController()
  const outer = storage.getStore()
  const signal = outer === undefined ? controller.signal : AbortSignal.any([outer.signal, controller.signal])
  const turn: RunningTurn = { scope, key, outer, signal, isOver: false }
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const fault = tookTooLong(scope, key, turnMs)
      controller.abort(fault)
      reject(fault)
    }, endsAt - performance.now())
  })
  try {
    return await Promise.race([storage.run(turn, async () => work(turn)), overdue])
  } finally {
    turn.isOver = true
    clearTimeout(timer)
  }
}

const OPTIONS: NamesOf<TurnOptions> = { waitMs: true, turnMs: true }

function requireTurn(key: string, work: unknown, options: TurnOptions): void {
  if (typeof work !== 'function') {
    throw new Fault('invalid_input', `inTurn('${key}') takes the work as a function: inTurn(key, async () => …)`)
  }
  refuseMistyped(`inTurn('${key}')`, options, OPTIONS)
  requireMs(`inTurn('${key}')`, options, ['waitMs'])
}

/** @throws Fault `internal` for work that would wait for itself. */
function refuseWithin(scope: string, key: string): void {
  for (let turn = storage.getStore(); turn !== undefined; turn = turn.outer) {
    if (turn.isOver || turn.scope !== scope || turn.key !== key) continue
    const what = `inTurn('${key}') of scope '${scope}' is called within its own turn and would wait for itself`
    throw new Fault('internal', `${what}: pass on what the outer one has read`)
  }
}

function waitedTooLong(scope: string, key: string, waitMs: number): Fault {
  const text = `It was not the turn of this call on '${key}' in scope '${scope}' within ${waitMs} ms: others work on it; try again later`
  return new Fault('overloaded', text)
}

function tookTooLong(scope: string, key: string, turnMs: number): Fault {
  const text = `The turn on '${key}' in scope '${scope}' took longer than ${turnMs} ms and is over; what it wrote until then stays`
  return new Fault('deadline', `${text}. Do slow work before or after it, or say turnMs`)
}

import { Fault, isRecord } from '@iii/protocol'
import { OWNERSHIP_TIMINGS } from '../ownership/ownership.ts'
import {
  refuseMistyped,
  requireBooleans,
  requireBounds,
  requireMs,
  requireTexts,
  requireTimerMs,
  toKind,
} from '../suggestions/mistyped.ts'
import { CONNECTION_TIMINGS } from '../wire/connection.ts'
import { OUTBOX_LIMITS } from '../wire/outbox.ts'
import { DEAFNESS_TIMINGS } from '../wire/readiness.ts'
import { EngineWorker } from './engine-worker.ts'
import { refuseFormerNames } from './former-names.ts'
import type { RegisterWorkerOptions, Worker } from './worker.ts'

/**
 * Connects to an engine and stays connected: it tries again within half a second of a loss, then at least once a
 * second, for ever, and tells the engine everything anew each time. Returns at once; see {@link Worker.ready}.
 *
 * @throws Fault `invalid_input` when `url` is not the address of an engine, or for an option of `iii-sdk` that has another name
 * here, was mistyped or is of a wrong kind.
 *
 * @example
 * const worker = registerWorker('ws://127.0.0.1:49134', { name: 'orders' })
 * worker.registerFunction('orders::count', () => ({ count: 3 }))
 * await worker.trigger({ function_id: 'orders::count' }) // { count: 3 }
 */
export function registerWorker(url: string, options: RegisterWorkerOptions = {}): Worker {
  refuseFormerNames(options)
  requireTexts('registerWorker', options, ['name', 'namespace', 'description', 'version'])
  requireMs('registerWorker', options, ['callTimeoutMs'])
  requireBounds('registerWorker', options, ['maxMessageBytes'])
  requireBooleans('registerWorker', options, ['defers', 'followsTraces'])
  requireTimings(options)
  requireChoices(options)
  requireHeaders(options.headers)
  const worker = new EngineWorker(url, options)
  worker.start()
  return worker
}

const TIMINGS = {
  timings: { ...CONNECTION_TIMINGS, ...DEAFNESS_TIMINGS },
  watchOwnership: OWNERSHIP_TIMINGS,
  queue: OUTBOX_LIMITS,
}

function requireTimings({ timings, watchOwnership, queue }: RegisterWorkerOptions): void {
  const watched = watchOwnership === true || watchOwnership === false ? undefined : watchOwnership
  const given = { timings, watchOwnership: watched, queue }
  for (const name of Object.keys(TIMINGS) as (keyof typeof TIMINGS)[]) {
    const fields = given[name]
    if (fields === undefined || fields === null) continue
    const what = `registerWorker({ ${name} })`
    refuseMistyped(what, fields, TIMINGS[name])
    const require = name === 'queue' ? requireBounds : requireTimerMs
    require(what, fields, Object.keys(fields) as never[])
  }
}

const NAMINGS: readonly unknown[] = ['first', 'own', 'exact', undefined]

function requireChoices({ log, naming, reattach }: RegisterWorkerOptions): void {
  if (!NAMINGS.includes(naming)) {
    throw new Fault('invalid_input', `registerWorker takes 'first', 'own' or 'exact' as naming, not '${naming}'`)
  }
  if (log !== undefined && !hasMethods(log, ['debug', 'info', 'warn', 'error'])) {
    const right = "createLog({ name, level: 'silent' }) is one that says nothing"
    throw new Fault('invalid_input', `registerWorker takes a logger as log, such as createLog makes; ${right}`)
  }
  if (reattach !== undefined && !hasMethods(reattach, ['read', 'write', 'forget'])) {
    throw new Fault('invalid_input', 'registerWorker takes a store as reattach, an object with read, write and forget')
  }
}

function hasMethods(given: unknown, names: readonly string[]): boolean {
  return names.every((name) => typeof Object(given)[name] === 'function')
}

/** What is no plain object would be sent as no header at all, and an engine that authenticates workers says no more than that it refuses. */
function requireHeaders(headers: unknown): void {
  if (headers === undefined || headers === null) return
  const isPlain = isRecord(headers) && [Object.prototype, null].includes(Object.getPrototypeOf(headers))
  if (!isPlain) {
    const right =
      "an object, such as { authorization: 'Bearer …' }; Object.fromEntries makes one of a Map and of Headers"
    throw new Fault('invalid_input', `registerWorker takes headers as ${right}`)
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^`|~\w-]+$/.test(name)) throw new Fault('invalid_input', `'${name}' is no name of a header`)
    requireHeaderText(name, value)
  }
}

/** The value may be a secret, so it is not said. */
function requireHeaderText(name: string, value: unknown): void {
  const what = `The header '${name}' of registerWorker`
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new Fault('invalid_input', `${what} must be a text, not ${toKind(value)}; leave it out where there is none`)
  }
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(String(value))) return
  throw new Fault(
    'invalid_input',
    `${what} has a character that HTTP cannot carry; trim() takes a line break at its end away`,
  )
}

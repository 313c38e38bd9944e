import { Fault, isRecord } from '@iii/protocol'
import type { Logger } from '../log.ts'
import type { OptionRules } from '../options/given.ts'
import type { Settings } from '../settings/settings.ts'
import { type NamesOf, refuseMistyped, requireTexts } from '../suggestions/mistyped.ts'
import type { Paint } from '../terminal/paint.ts'
import type { RegisterWorkerOptions, Worker } from '../worker/worker.ts'

/** What a worker has put on the bus, and how to take it down. */
export interface Served {
  /** Called at shutdown, while calls still work. */
  close(): Promise<void> | void
  /** Resolves when everything is in place; the line `ready` is logged then. */
  ready?: Promise<void> | undefined
  /** Resolves when there is nothing left to do, e.g. because stdin has ended; the process then stops. */
  done?: Promise<void> | undefined
}

/** Puts functions and triggers on the bus. Where nothing has to be closed it returns nothing. */
export type Serve<T> = (worker: Worker, settings: Settings<T>, log: Logger) => MaybeServed | Promise<MaybeServed>

// biome-ignore lint/suspicious/noConfusingVoidType: a function that is declared as `(worker): void` fits nothing else
type MaybeServed = Served | undefined | void

/** Everything about a worker process that is not its work. */
export interface WorkerSpec<T> extends OptionRules<T> {
  name: string
  version: string
  description: string
  /** What the user types to start it, for the help text. @default the name */
  command?: string | undefined
  /** Stands below the options in the help text, e.g. what else the command can do. */
  footnote?: string | ((paint: Paint) => string) | undefined
  /** What a process with these settings adds to the name, when it is one of many that live side by side: `stdio`. */
  kindOfMany?: ((value: Readonly<T>) => string | undefined) | undefined
  /** Without node and script: `process.argv.slice(2)`. */
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  worker?: Partial<RegisterWorkerOptions> | undefined
  /**
   * Leaves everything to an earlier process of the same worker, as long as there is one: for work that two must not do. Whoever serves then
   * says so by {@link Worker.claim}, once it knows that it may. @default false: who comes last serves
   */
  waitsItsTurn?: boolean | undefined
  /** Puts functions and triggers on the bus. It runs before there is a connection; where the engine stores settings, once these are known. */
  serve: Serve<T>
}

const FIELDS: NamesOf<WorkerSpec<unknown>> = {
  name: true,
  version: true,
  description: true,
  command: true,
  footnote: true,
  kindOfMany: true,
  argv: true,
  env: true,
  worker: true,
  waitsItsTurn: true,
  serve: true,
  options: true,
  findConflict: true,
  refusesSharedFile: true,
}

type Needed = readonly [field: keyof WorkerSpec<unknown>, isRight: (value: unknown) => boolean, what: string]

const NEEDED: readonly Needed[] = [
  ['name', (value) => typeof value === 'string' && value !== '', "a text, for example 'orders'"],
  ['argv', isArguments, 'what the user typed, without node and script: process.argv.slice(2)'],
  ['env', isRecord, 'an object: process.env'],
  ['options', isRecord, 'an object: {} where there are none'],
  ['serve', (value) => typeof value === 'function', 'a function, which puts everything on the engine'],
]

/** @throws Fault `invalid_input` for a field, written in plain JavaScript, that was mistyped, is missing or of a wrong kind. */
export function checkWorkerSpec<T>(spec: WorkerSpec<T>): void {
  refuseMistyped('runWorker', spec, FIELDS)
  for (const [field, isRight, what] of NEEDED) {
    if (!isRight(spec[field])) throw new Fault('invalid_input', `runWorker needs ${field}: ${what}`)
  }
  requireTexts('runWorker', spec, ['version', 'description'])
}

/** Of a whole `process.argv` the first is the program that runs the script. */
function isArguments(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  const [first] = value
  return first === undefined || (typeof first === 'string' && !/[\\/](?:node|bun|deno)(?:\.exe)?$/.test(first))
}

import type { Session } from '../commands/command.ts'
import type { Host } from '../host.ts'
import { findHttpAddress, type HttpAddress } from '../http/address.ts'
import type { Worker } from '../worker/worker.ts'
import type { FoundSettings } from './found-settings.ts'

/** What a doctor is called with: a command of a worker's program. */
export interface DoctorSession
  extends Pick<Session<{ readonly json: boolean }>, 'flags' | 'screen' | 'said' | 'version'> {
  /** What a worker with these flags, this environment and this file would work with. */
  readonly settings: FoundSettings<unknown>
  readonly host: Host
  /** Connects to the engine. @throws CommandFailure when none answers */
  connect(): Promise<Worker>
}

/** How the program and its worker are called in what is said. */
export interface DoctorNames {
  /** What is typed: `iii-skills`. */
  readonly program: string
  /** On npm: `@iii/skills`. */
  readonly packageName: string
  /** What the worker is: `registry`. */
  readonly noun: string
}

/** What the checks look at. Each thing is found once, and rejects for every check that needs it. */
export interface DoctorContext<S extends Pick<DoctorSession, 'said'> = DoctorSession> {
  readonly session: S
  readonly names: DoctorNames
  /** @throws CommandFailure when no engine answers */
  engine(): Promise<Worker>
  /** Where the engine answers HTTP; undefined when it has no such port, or does not say. */
  http(): Promise<HttpAddress | undefined>
  /** Asks a function of the engine, with a deadline. */
  ask(functionId: string, payload: object): Promise<unknown>
}

/** For one question to the engine; less than a check may take. */
export const ASK_MS = 3_000

/** Of the things that several checks need, each is asked for when the first of them does. */
export function createDoctorContext<S extends Pick<DoctorSession, 'said' | 'connect'>>(
  session: S,
  names: DoctorNames,
): DoctorContext<S> {
  const engine = once(() => session.connect())
  const ask: DoctorContext['ask'] = async (functionId, payload) =>
    (await engine()).trigger({ function_id: functionId, payload, timeoutMs: ASK_MS })
  return { session, names, engine, ask, http: once(() => findHttpAddress(ask, session.said.url)) }
}

function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  return () => {
    found ??= find()
    return found
  }
}

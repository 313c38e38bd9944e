import type { Defects } from '../defects.ts'
import { compareBytes, type JsonText } from '../json/json-text.ts'
import type { TraceContext } from './outgoing.ts'

/** A call on its way to the function it is for. */
export interface Call {
  readonly invocationId: string
  readonly functionId: string
  readonly data: JsonText
  readonly metadata: JsonText | undefined
  readonly trace: TraceContext
  /** The worker that made the call, `undefined` for a call the engine made. */
  readonly callerId: string | undefined
}

/** What a built-in answers: a text, or `undefined` for no result. May throw {@link EngineError}. */
export type BuiltinHandler = (call: Call) => JsonText | undefined | Promise<JsonText | undefined>

/** Who answers the calls of a function: a worker's connection or the engine itself. */
export type Host =
  /** `wireId` is the id as the worker knows it, without the prefix its session may have; `deliver` fails when it is gone. */
  | { readonly kind: 'worker'; readonly workerId: string; readonly wireId: string; deliver(frame: string): boolean }
  | { readonly kind: 'builtin'; readonly workerName: string; readonly handle: BuiltinHandler }

/** A function as it was registered last. */
export interface EngineFunction {
  readonly id: string
  readonly description: string | undefined
  readonly requestSchema: JsonText | undefined
  readonly responseSchema: JsonText | undefined
  readonly metadata: JsonText | undefined
  readonly host: Host
}

/** Who owns which function id. The last to register an id owns it; an earlier owner never gets it back by itself. */
export interface Functions {
  get(id: string): EngineFunction | undefined
  set(entry: EngineFunction): void
  /** Removes an id if this worker is its recorded owner. */
  release(id: string, workerId: string): void
  /** Removes everything a worker owns. */
  releaseAll(workerId: string): void
  /** Every function, sorted by id. */
  list(): readonly EngineFunction[]
  ids(): Iterable<string>
}

export function createFunctions({ lostBuiltin }: Pick<Defects, 'lostBuiltin'>): Functions {
  const entries = new Map<string, EngineFunction>()
  const builtins = new Map<string, EngineFunction>()

  function release(id: string, workerId: string): void {
    const host = entries.get(id)?.host
    if (host?.kind !== 'worker' || host.workerId !== workerId) return
    const builtin = lostBuiltin ? undefined : builtins.get(id)
    if (builtin) entries.set(id, builtin)
    else entries.delete(id)
  }

  return {
    get: (id) => entries.get(id),
    set(entry) {
      entries.set(entry.id, entry)
      if (entry.host.kind === 'builtin') builtins.set(entry.id, entry)
    },
    release,
    releaseAll(workerId) {
      for (const id of [...entries.keys()]) release(id, workerId)
    },
    list: () => [...entries.values()].sort((a, b) => compareBytes(a.id, b.id)),
    ids: () => entries.keys(),
  }
}

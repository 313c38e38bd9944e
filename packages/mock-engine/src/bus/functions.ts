import { DEFAULT_NAMESPACE } from '@iii/protocol'
import { compareBytes, type JsonText } from '../json/json-text.ts'
import { toNamespacedKey } from '../wire/namespace.ts'
import type { TraceContext } from '../wire/outgoing.ts'
import type { Defects } from './defects.ts'

/** A call on its way to the function it is for. */
export interface BusCall {
  readonly invocationId: string
  readonly functionId: string
  readonly data: JsonText
  readonly metadata: JsonText | undefined
  readonly trace: TraceContext
  /** The worker that made the call, `undefined` for a call the engine made. */
  readonly callerId: string | undefined
}

/** What a built-in answers: a text, or `undefined` for no result. May throw {@link EngineError}. */
export type BuiltinHandler = (call: BusCall) => JsonText | undefined | Promise<JsonText | undefined>

/** Who answers the calls of a function: a worker's connection or the engine itself. */
export type FunctionHost =
  /** `wireId` is the id as the worker knows it, without the prefix its session may have; `deliver` fails when it is gone. */
  | { readonly kind: 'worker'; readonly workerId: string; readonly wireId: string; deliver(frame: string): boolean }
  | { readonly kind: 'builtin'; readonly workerName: string; readonly handle: BuiltinHandler }

/** A function as it was registered last. */
export interface EngineFunction {
  readonly id: string
  readonly namespace: string
  readonly description: string | undefined
  readonly requestSchema: JsonText | undefined
  readonly responseSchema: JsonText | undefined
  readonly metadata: JsonText | undefined
  readonly host: FunctionHost
}

/** Who owns which function id in which namespace. The last that is set owns it; an earlier owner never gets it back by itself. */
export interface Functions {
  /** @param namespace - the only one that is looked at. */
  get(id: string, namespace?: string): EngineFunction | undefined
  set(entry: EngineFunction): void
  /** Removes an id if this worker is its recorded owner. */
  release(id: string, namespace: string, workerId: string): void
  /** Removes everything a worker owns. */
  releaseAll(workerId: string): void
  /** Every function, sorted by id. */
  list(): readonly EngineFunction[]
  /** One text for each namespace and id. */
  keys(): Iterable<string>
  /** The namespaces that have an id, sorted. */
  namespacesOf(id: string): string[]
}

export function createFunctions({ lostBuiltin }: Pick<Defects, 'lostBuiltin'>): Functions {
  const entries = new Map<string, EngineFunction>()
  const builtins = new Map<string, EngineFunction>()
  /** All that a function was ever in: few, where functions are many. */
  const namespaces = new Set<string>()

  function release(key: string, workerId: string): void {
    const host = entries.get(key)?.host
    if (host?.kind !== 'worker' || host.workerId !== workerId) return
    const builtin = lostBuiltin ? undefined : builtins.get(key)
    if (builtin) entries.set(key, builtin)
    else entries.delete(key)
  }

  return {
    get: (id, namespace = DEFAULT_NAMESPACE) => entries.get(toNamespacedKey(namespace, id)),
    set(entry) {
      const key = toNamespacedKey(entry.namespace, entry.id)
      entries.set(key, entry)
      namespaces.add(entry.namespace)
      if (entry.host.kind === 'builtin') builtins.set(key, entry)
    },
    release: (id, namespace, workerId) => release(toNamespacedKey(namespace, id), workerId),
    releaseAll(workerId) {
      for (const key of [...entries.keys()]) release(key, workerId)
    },
    list: () => [...entries.values()].sort((a, b) => compareBytes(a.id, b.id)),
    keys: () => entries.keys(),
    namespacesOf: (id) =>
      [...namespaces].filter((namespace) => entries.has(toNamespacedKey(namespace, id))).sort(compareBytes),
  }
}

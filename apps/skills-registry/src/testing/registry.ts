import { Fault, toFault } from '@iii/protocol'
import { createLog, registerWorker, type Settings, type Worker } from '@iii/sdk'
import { type Options, options } from '../options.ts'
import { serveRegistry } from '../worker.ts'
import { createTextLog } from './recorded-log.ts'

/** A registry in this process, and another worker that uses it. */
export interface TestRegistry extends AsyncDisposable {
  /** Calls what the registry offers, registers functions of its own, plays the store. */
  client: Worker
  /** The registry's connection. */
  worker: Worker
  /** The settings of the registry, which hears of what is assigned to them. */
  settings: { value: Options; locked: Settings<Options>['locked'] }
  /** What the registry warned of: fields, and the `text`. */
  warnings: readonly Record<string, unknown>[]
  /** What its connection logged: `warn: the text`. */
  workerSaid: readonly string[]
  call<T = unknown>(functionId: string, payload?: unknown, metadata?: unknown): Promise<T>
  /** The fault that a call ends with; a call that succeeds fails the test. */
  fault(functionId: string, payload?: unknown, metadata?: unknown): Promise<Fault>
  /** The same as text: `message [code]`. */
  refusal(functionId: string, payload?: unknown): Promise<string>
}

/** Starts a registry on the engine at `url`, with default settings but for those given. */
export async function startRegistry(
  url: string,
  overrides: Partial<Options> = {},
  watchOwnership = false,
  namespace?: string,
): Promise<TestRegistry> {
  const log = createLog({ name: 'skills', level: 'silent' })
  const workerLog = createTextLog()
  const worker = registerWorker(url, { name: 'skills', namespace, log: workerLog, watchOwnership })
  const client = registerWorker(url, { name: 'client', namespace, log })
  const settings = createLiveSettings({ ...defaultOptions(), ...overrides })
  const recorded = createTextLog()
  serveRegistry(worker, settings, recorded)
  await Promise.all([worker.ready({ timeoutMs: 5000 }), client.ready({ timeoutMs: 5000 })])
  const call = <T>(functionId: string, payload: unknown = {}, metadata?: unknown) =>
    client.trigger<T>({ function_id: functionId, payload, metadata, timeoutMs: 10_000 })
  const fault = async (functionId: string, payload?: unknown, metadata?: unknown) => {
    const result = await call(functionId, payload, metadata).catch(toFault)
    if (result instanceof Fault) return result
    throw new Error(`${functionId} succeeded: ${JSON.stringify(result)}`)
  }
  return {
    client,
    worker,
    settings,
    warnings: recorded.warnings,
    workerSaid: workerLog.said,
    call,
    fault,
    async refusal(functionId, payload) {
      const { message, code } = await fault(functionId, payload)
      return `${message} [${code}]`
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([worker.shutdown(), client.shutdown()])
    },
  }
}

/** Settings that tell of what is assigned to them. */
function createLiveSettings(first: Options): TestRegistry['settings'] & Settings<Options> {
  const listeners = new Set<() => void>()
  const now = { value: first, locked: undefined as Settings<Options>['locked'] }
  const set = (change: Partial<typeof now>) => {
    Object.assign(now, change)
    for (const listener of listeners) listener()
  }
  return {
    get value() {
      return now.value
    },
    set value(value) {
      set({ value })
    },
    get locked() {
      return now.locked
    },
    set locked(locked) {
      set({ locked })
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export function defaultOptions(): Options {
  return {
    skillsScope: options.skillsScope.default,
    promptsScope: options.promptsScope.default,
    stateTimeoutMs: options.stateTimeoutMs.default,
    ownership: options.ownership.default,
    leaseMs: options.leaseMs.default,
    frontmatter: options.frontmatter.default,
    listSkillFiles: options.listSkillFiles.default,
    freshIndex: options.freshIndex.default,
  }
}

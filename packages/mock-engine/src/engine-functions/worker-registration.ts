import { DEFAULT_NAMESPACE } from '@iii/protocol'
import { builtin } from '../builtins/define.ts'
import type { InputOf, Kind } from '../builtins/input.ts'
import { announceWorker, type Bus } from '../bus/bus.ts'
import type { EngineFunction } from '../bus/functions.ts'
import type { BusWorker } from '../bus/workers.ts'
import type { JsonText } from '../json/json-text.ts'
import { EngineError } from '../wire/engine-error.ts'
import { isBlankNamespace } from '../wire/namespace.ts'
import { formatRejection } from '../wire/outgoing.ts'

/** `engine::workers::register`: who a connection is, and where it registers. */
export function registrationBuiltin(bus: Bus, workerName: string): EngineFunction {
  const { namespace, ...others } = FIELDS
  return builtin(workerName, {
    id: 'engine::workers::register',
    description: 'Takes what a connected worker reports about itself.',
    input: { struct: 'RegisterWorkerInput', fields: { ...others, ...bus.generation.newer({ namespace }) } },
    handle(input, { callerId }) {
      const worker = callerId === undefined ? undefined : bus.workers.get(callerId)
      return worker ? register(bus, worker, input) : SUCCESS
    },
  })
}

const FIELDS = {
  runtime: 'string?',
  version: 'string?',
  name: 'string?',
  description: 'string?',
  os: 'string?',
  telemetry: 'telemetry?',
  pid: 'u32?',
  isolation: 'string?',
  namespace: 'string?',
} as const satisfies Record<string, Kind>

type Input = InputOf<typeof FIELDS>

const SUCCESS = '{"success":true}'

function register(bus: Bus, worker: BusWorker, input: Input): JsonText | Promise<JsonText> {
  const namespace = toNamespace(worker, input)
  const name = toSafeText(input.name)
  const ownerId = name === undefined ? undefined : bus.workerNames.claim(namespace, name, worker.id)
  if (name !== undefined && ownerId !== undefined) {
    worker.send(formatRejection({ code: 'WORKER_NAMESPACE_CONFLICT', namespace, workerName: name, ownerId }))
    worker.evict('close')
    // The connection is gone.
    return '{"success":false}'
  }
  report(worker, input, name)
  const finish = () => {
    announceWorker(bus, 'worker_metadata_updated', worker.id)
    return SUCCESS
  }
  return worker.namespaceState.decide(namespace)?.then(finish) ?? finish()
}

/** The namespace of the connection: the one that it has, once that is decided. @throws EngineError for a blank one. */
function toNamespace({ namespaceState }: BusWorker, { name = '<unnamed>', namespace }: Input): string {
  if (isBlankNamespace(namespace)) {
    throw new EngineError(
      'INVALID_NAMESPACE',
      `namespace is empty: worker '${name}' declared ${JSON.stringify(namespace)}. Give it a name, or omit the field to register in '${DEFAULT_NAMESPACE}'.`,
    )
  }
  return namespaceState.decided ? namespaceState.namespace : (namespace ?? DEFAULT_NAMESPACE)
}

/** What is not said again stays, but for the runtime and the version. */
function report(worker: BusWorker, input: Input, name: string | undefined): void {
  const last = worker.report
  worker.report = {
    name: name ?? last?.name,
    description: toSafeText(input.description) ?? last?.description,
    version: input.version,
    runtime: input.runtime ?? 'unknown',
    os: input.os ?? last?.os,
    pid: input.pid ?? last?.pid,
    isolation: input.isolation ?? last?.isolation,
  }
}

const MAX_LENGTH = 280

/** Control characters, and those that turn the direction of a text or end a line. */
const UNSAFE = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu

/** A text of a worker without unsafe characters, not too long and trimmed; `undefined` when nothing is left. */
function toSafeText(text: string | undefined): string | undefined {
  return [...(text ?? '').replace(UNSAFE, '')].slice(0, MAX_LENGTH).join('').trim() || undefined
}

import { DEFAULT_NAMESPACE } from '@iii/protocol'
import { builtin } from '../builtins/define.ts'
import type { BuiltinWorker } from '../bus/builtin-worker.ts'
import type { Bus } from '../bus/bus.ts'
import type { EngineFunction } from '../bus/functions.ts'
import type { TriggerType } from '../bus/trigger-types.ts'
import type { BusWorker } from '../bus/workers.ts'
import { objectText, quote } from '../json/build.ts'
import { arrayText, compareBytes, type JsonText } from '../json/json-text.ts'
import { EngineError } from '../wire/engine-error.ts'
import {
  functionSummary,
  functionsOf,
  namespaceField,
  triggerRow,
  typeSummary,
  typeWorkerName,
  workerNameOf,
} from './rows.ts'
import { registrationBuiltin } from './worker-registration.ts'

/** A worker as the engine shows it, with what it owns. */
interface WorkerView {
  readonly id: string
  readonly name: string | undefined
  readonly namespace: string
  readonly runtime: string
  readonly status: string
  readonly pid: number | undefined
  readonly fields: Record<string, JsonText>
  readonly functionIds: readonly string[]
  readonly types: readonly TriggerType[]
  readonly internal: boolean
  /** Whether it lives in the engine. */
  readonly isPart: boolean
}

/** `engine::workers::*`. */
export function workerBuiltins(bus: Bus, workerName: string, startedAt: number): EngineFunction[] {
  return [
    builtin(workerName, {
      id: 'engine::workers::list',
      description: 'The connected workers, and those that live in the engine.',
      input: {
        struct: 'WorkersListInput',
        fields: { search: 'string?', runtime: 'string?', status: 'string?' },
      },
      handle({ search, runtime, status }) {
        const wanted = search?.toLowerCase() ?? ''
        const rows = toList(views(bus, startedAt)).filter(
          (view) =>
            (runtime === undefined || view.runtime === runtime) &&
            (status === undefined || view.status === status) &&
            (view.name ?? '').toLowerCase().includes(wanted),
        )
        return objectText({ workers: arrayText(rows.map((view) => objectText(view.fields))) })
      },
    }),
    builtin(workerName, {
      id: 'engine::workers::info',
      description: 'One worker by name: functions, trigger types and bindings.',
      input: {
        struct: 'WorkerInfoInput',
        fields: { name: 'string', ...bus.generation.newer({ namespace: 'string?' } as const) },
      },
      handle({ name, namespace }) {
        const named = views(bus, startedAt).filter((candidate) => candidate.name === name)
        return workerDetail(bus, choose(named, name, namespace))
      },
    }),
    registrationBuiltin(bus, workerName),
  ]
}

/** The worker of the namespace that is named; else the one in the default namespace, else the only one. */
function choose(views: readonly WorkerView[], name: string, namespace: string | undefined): WorkerView {
  const places = [...new Set(views.map((view) => view.namespace))]
  const inferred = places.includes(DEFAULT_NAMESPACE) || places.length !== 1 ? DEFAULT_NAMESPACE : places[0]
  const found = views.find((view) => view.namespace === (namespace ?? inferred))
  if (found) return found
  const list = places.join(', ')
  if (places.length === 0) throw new EngineError('NOT_FOUND', `Worker '${name}' is not connected.`)
  throw new EngineError(
    'NOT_FOUND',
    namespace === undefined
      ? `Worker '${name}' is ambiguous: it is connected in namespace(s): ${list}. Pass \`namespace\` to disambiguate.`
      : `Worker '${name}' is not connected in the requested namespace; it is connected in namespace(s): ${list}.`,
  )
}

/** The parts of the engine, and everybody who is connected. */
function views(bus: Bus, startedAt: number): WorkerView[] {
  return [
    ...bus.builtinWorkers.map((worker) => builtinView(bus, worker, startedAt)),
    ...bus.workers.list().map((worker) => workerView(bus, worker)),
  ]
}

/** By name, whoever has none by its id; a connection is shown once it has reported its process id. */
function toList(all: readonly WorkerView[]): WorkerView[] {
  return all
    .filter(({ isPart, pid }) => isPart || pid !== undefined)
    .sort((a, b) => compareBytes(a.name ?? a.id, b.name ?? b.id) || compareBytes(a.id, b.id))
}

function builtinView(
  bus: Bus,
  { workerName, description, functions, internal }: BuiltinWorker,
  startedAt: number,
): WorkerView {
  return {
    id: workerName,
    name: workerName,
    namespace: DEFAULT_NAMESPACE,
    runtime: 'engine',
    status: 'available',
    pid: undefined,
    internal,
    isPart: true,
    functionIds: functions.map((entry) => entry.id),
    types: bus.triggers.types().filter((type) => typeWorkerName(bus, type) === workerName),
    fields: {
      id: quote(workerName),
      ...namespaceField(bus, { namespace: DEFAULT_NAMESPACE }),
      name: quote(workerName),
      description: quote(description),
      version: quote(bus.generation.version),
      runtime: '"engine"',
      status: '"available"',
      isolation: '"in-process"',
      os: 'null',
      ip_address: 'null',
      function_count: String(functions.length),
      active_invocations: '0',
      connected_at_ms: String(startedAt),
    },
  }
}

function workerView(bus: Bus, worker: BusWorker): WorkerView {
  const { report, namespaceState } = worker
  const functionIds = functionsOf(bus, worker)
  const text = (value: string | undefined) => (value === undefined ? 'null' : quote(value))
  return {
    id: worker.id,
    name: report?.name,
    namespace: namespaceState.namespace,
    runtime: report?.runtime ?? 'unknown',
    status: 'connected',
    pid: report?.pid,
    internal: false,
    isPart: false,
    functionIds,
    types: bus.triggers.types().filter(({ provider }) => provider.workerId === worker.id),
    fields: {
      id: quote(worker.id),
      ...namespaceField(bus, namespaceState),
      name: text(report?.name),
      description: text(report?.description),
      version: text(report?.version),
      runtime: quote(report?.runtime ?? 'unknown'),
      status: '"connected"',
      isolation: text(report?.isolation),
      os: text(report?.os),
      ip_address: quote(worker.ip),
      function_count: String(functionIds.length),
      active_invocations: String(bus.calls.activeOf(worker.id)),
      connected_at_ms: String(worker.connectedAt),
    },
  }
}

function workerDetail(bus: Bus, view: WorkerView): JsonText {
  const { types, namespace } = view
  const functions = view.functionIds.toSorted().flatMap((id) => bus.functions.get(id, namespace) ?? [])
  const bindings = bus.triggers
    .list()
    .filter(
      (trigger) => trigger.namespace === namespace && workerNameOf(bus, trigger.functionId, namespace) === view.name,
    )
  return objectText({
    worker: objectText({
      ...view.fields,
      internal: String(view.internal),
      pid: view.pid === undefined ? undefined : String(view.pid),
    }),
    functions: arrayText(functions.map((entry) => functionSummary(bus, entry))),
    trigger_types: arrayText(types.map((type) => typeSummary(bus, type))),
    registered_triggers: arrayText(bindings.map((trigger) => triggerRow(bus, trigger))),
  })
}

import { announceWorker, type Bus } from '../bus/bus.ts'
import type { EngineFunction } from '../bus/functions.ts'
import type { Worker } from '../bus/workers.ts'
import { EngineError } from '../engine-error.ts'
import { objectText, quote } from '../json/build.ts'
import { arrayText, compareBytes, type JsonText } from '../json/json-text.ts'
import { ENGINE_VERSION } from '../version.ts'
import { builtin, type Family } from './define.ts'
import { functionSummary, functionsOf, triggerRow, typeSummary, typeWorkerName, workerNameOf } from './views.ts'

/** A worker as the engine shows it, with what it owns. */
interface WorkerView {
  readonly name: string | undefined
  readonly runtime: string
  readonly status: string
  readonly description: string | undefined
  readonly pid: number | undefined
  readonly fields: Record<string, JsonText>
  readonly functionIds: readonly string[]
  readonly typeIds: readonly string[]
  readonly internal: boolean
}

/** `engine::workers::list`, `engine::workers::info` and `engine::workers::register`. */
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
        const rows = views(bus, startedAt).filter(
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
      input: { struct: 'WorkerInfoInput', fields: { name: 'string' } },
      handle({ name }) {
        const view = views(bus, startedAt).find((candidate) => candidate.name === name)
        if (!view) throw new EngineError('NOT_FOUND', `Worker '${name}' is not connected.`)
        return workerDetail(bus, view)
      },
    }),
    registerBuiltin(bus, workerName),
  ]
}

/** Everybody who is shown, by name; a connection is once it has reported its process id. */
function views(bus: Bus, startedAt: number): WorkerView[] {
  const reported = bus.workers.list().filter((worker) => worker.report?.pid !== undefined)
  const all = [
    ...bus.families.map((family) => familyView(bus, family, startedAt)),
    ...reported.map((worker) => workerView(bus, worker)),
  ]
  return all.sort((a, b) => compareBytes(a.name ?? '', b.name ?? ''))
}

function familyView(bus: Bus, { workerName, description, functions, internal }: Family, startedAt: number): WorkerView {
  return {
    name: workerName,
    runtime: 'engine',
    status: 'available',
    description,
    pid: undefined,
    internal,
    functionIds: functions.map((entry) => entry.id),
    typeIds: bus.triggers.types().flatMap((type) => (typeWorkerName(bus, type) === workerName ? [type.id] : [])),
    fields: {
      id: quote(workerName),
      name: quote(workerName),
      description: quote(description),
      version: quote(ENGINE_VERSION),
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

function workerView(bus: Bus, worker: Worker): WorkerView {
  const { report } = worker
  const functionIds = functionsOf(bus, worker)
  const text = (value: string | undefined) => (value === undefined ? 'null' : quote(value))
  return {
    name: report?.name,
    runtime: report?.runtime ?? 'unknown',
    status: 'connected',
    description: report?.description,
    pid: report?.pid,
    internal: false,
    functionIds,
    typeIds: bus.triggers.types().flatMap(({ id, provider }) => (provider.workerId === worker.id ? [id] : [])),
    fields: {
      id: quote(worker.id),
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
  const functions = view.functionIds.toSorted().flatMap((id) => bus.functions.get(id) ?? [])
  const types = view.typeIds.flatMap((id) => bus.triggers.type(id) ?? [])
  const bindings = bus.triggers.list().filter((trigger) => workerNameOf(bus, trigger.functionId) === view.name)
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

const MAX_DESCRIPTION = 280

function registerBuiltin(bus: Bus, workerName: string): EngineFunction {
  return builtin(workerName, {
    id: 'engine::workers::register',
    description: 'Takes what a connected worker reports about itself.',
    input: {
      struct: 'RegisterWorkerInput',
      fields: {
        runtime: 'string?',
        version: 'string?',
        name: 'string?',
        description: 'string?',
        os: 'string?',
        telemetry: 'json?',
        pid: 'u32?',
        isolation: 'string?',
      },
    },
    handle({ runtime, version, name, description, os, pid, isolation }, { callerId }) {
      const worker = callerId === undefined ? undefined : bus.workers.get(callerId)
      if (worker) {
        worker.report = {
          name: name || undefined,
          description: description === undefined ? undefined : toSafeDescription(description),
          version,
          runtime: runtime ?? 'unknown',
          os,
          pid,
          isolation,
        }
        announceWorker(bus, 'worker_metadata_updated', worker.id)
      }
      return '{"success":true}'
    },
  })
}

/** Without control characters, at most 280 characters. */
function toSafeDescription(text: string): string {
  return [...text.replace(/\p{Cc}/gu, '')].slice(0, MAX_DESCRIPTION).join('')
}

import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { BuiltinWorker } from '../bus/builtin-worker.ts'
import type { Bus } from '../bus/bus.ts'
import type { BusCall, EngineFunction } from '../bus/functions.ts'
import type { TriggerProvider, TriggerType } from '../bus/trigger-types.ts'
import type { JsonText } from '../json/json-text.ts'
import { decodeInput, type InputOf, type InputShape, inputSchema, type Kind } from './input.ts'
import { resultSchema } from './result-schemas.ts'

/** A function of the engine itself. */
export interface BuiltinSpec<F extends Record<string, Kind>> {
  readonly id: string
  readonly description: string
  /** Without a shape anything is taken; without this field no schema is shown either. */
  readonly input?: InputShape<F> | 'any'
  readonly responseSchema?: JsonText
  readonly metadata?: JsonText | undefined
  /** Answers with a text, or `undefined` for no result. May throw an `EngineError`. */
  handle(input: InputOf<F>, call: BusCall): JsonText | undefined | Promise<JsonText | undefined>
}

/** Builds the function a built-in is registered as. */
export function builtin<const F extends Record<string, Kind>>(
  workerName: string,
  spec: BuiltinSpec<F>,
): EngineFunction {
  return {
    id: spec.id,
    namespace: DEFAULT_NAMESPACE,
    description: spec.description,
    requestSchema: spec.input && toInputSchema(spec.input),
    responseSchema: spec.responseSchema ?? resultSchema(spec.id),
    metadata: spec.metadata,
    host: {
      kind: 'builtin',
      workerName,
      handle: (call) => spec.handle(readInput(spec, call), call),
    },
  }
}

const ANY_SCHEMA = '{"$schema":"http://json-schema.org/draft-07/schema#","title":"AnyValue"}'

function toInputSchema(input: InputShape<Record<string, Kind>> | 'any'): JsonText {
  return input === 'any' ? ANY_SCHEMA : inputSchema(input)
}

function readInput<F extends Record<string, Kind>>({ id, input }: BuiltinSpec<F>, { data }: BusCall): InputOf<F> {
  return input === undefined || input === 'any' ? ({} as InputOf<F>) : decodeInput(id, input, data)
}

/** A trigger type of the engine itself. */
export interface BuiltinTypeSpec {
  readonly id: string
  readonly description: string
  readonly configSchema?: JsonText
  readonly requestSchema?: JsonText
  readonly responseSchema?: JsonText
  /** Checks and takes a binding; throws an `EngineError` with the code `trigger_registration_failed` to refuse it. */
  register?: TriggerProvider['register']
  unregister?: TriggerProvider['unregister']
}

export function builtinType(workerName: string, spec: BuiltinTypeSpec): TriggerType {
  return {
    id: spec.id,
    namespace: DEFAULT_NAMESPACE,
    description: spec.description,
    configSchema: spec.configSchema,
    requestSchema: spec.requestSchema,
    responseSchema: spec.responseSchema,
    provider: {
      workerId: undefined,
      workerName,
      register: spec.register ?? (() => {}),
      unregister: spec.unregister ?? (() => {}),
    },
  }
}

/** Puts a worker that lives in the engine on the bus. */
export function installBuiltin(bus: Bus, worker: BuiltinWorker): void {
  bus.builtinWorkers.push(worker)
  for (const entry of worker.functions) bus.functions.set(entry)
  for (const type of worker.types) bus.triggers.addType(type)
  for (const binding of worker.bindings ?? []) bus.triggers.add(binding)
}

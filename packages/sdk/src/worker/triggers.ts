import { randomUUID } from 'node:crypto'
import { Fault, INSTANCE_KEY } from '@iii/protocol'
import { toNamespace } from '../engine/namespace.ts'
import type { Route } from '../http/route-reach.ts'
import type { Logger } from '../log.ts'
import { type NamesOf, refuseMistyped, requireBooleans, requireFunctions } from '../suggestions/mistyped.ts'
import { formatFrame, type IncomingFrame } from '../wire/frames.ts'
import type { Registration } from './function.ts'
import { tellListener } from './tell-listener.ts'
import { checkTriggerConfig, findParamConflict } from './trigger-config.ts'
import type { TriggerConfigOf } from './trigger-configs.ts'
import type { Withheld } from './withheld.ts'

/** A wish that the engine calls a function when something happens. */
export type TriggerInput<Type extends string = string> = TriggerFields<Type> & TriggerConfigField<TriggerConfigOf<Type>>

/** Whether it may be left out depends on the type. */
type TriggerConfigField<Config> =
  Record<never, never> extends Config
    ? {
        /** @default {} */
        config?: Config | undefined
      }
    : { config: Config }

interface TriggerFields<Type extends string> {
  /** `http`, `cron`, `state`, … or a type that some worker provides; one that nobody provides yet is waited for. */
  type: Type
  function_id: string
  /** Where the function is, on engines that have namespaces. @default that of the worker */
  namespace?: string | undefined
  /** Handed to the function with every call. */
  metadata?: Record<string, unknown> | undefined
  /** Nobody has to provide the type: that nobody does is not warned of. @default false */
  optional?: boolean | undefined
  /** Told when the provider of the type refuses the binding. */
  onError?: ((error: { code: string; message: string }) => void) | undefined
}

const FIELDS: NamesOf<TriggerInput & { trigger_namespace: unknown }> = {
  type: true,
  function_id: true,
  namespace: true,
  // Of engine 0.23, and no slip.
  trigger_namespace: true,
  config: true,
  metadata: true,
  optional: true,
  onError: true,
}

/** What was wished for. */
export interface TriggerWish {
  readonly type: string
  readonly functionId: string
  /** Where the function is; undefined for `default`. */
  readonly namespace: string | undefined
  /** Whether the type may be nobody's. */
  readonly isOptional: boolean
}

/** The triggers this worker wants, which the engine must learn again on each connection. */
export interface TriggerTable {
  register(input: TriggerInput): Registration
  readonly wishes: Iterable<TriggerWish>
  /** The http triggers: what they want of the engine's HTTP port. */
  routes(): Route[]
  /** Says these triggers once more. */
  repeat(ids: Iterable<string>): void
  /** Takes those of these functions back from the engine, until they take nothing from anybody. */
  withdraw(functionIds: readonly string[]): void
  onResult(frame: Extract<IncomingFrame, { type: 'triggerregistrationresult' }>): void
  /** Says all, on a new connection. */
  sendAll(): void
}

interface RegisteredTrigger extends TriggerWish {
  frame: string
  /** Of an http trigger. */
  route: Route | undefined
  onError: TriggerInput['onError']
}

export interface TriggerTableOptions {
  instance: string
  /** Where the functions are that are called; undefined for `default`. */
  namespace: string | undefined
  log: Logger
  /** Hands a frame to the engine when there is one; the table is replayed anyway when there is none. */
  send(text: string): void
  /** Whether triggers of a function are kept back until they are repeated. */
  isHeld(functionId: string): boolean
  /** Whether nothing is taken from another worker by a trigger of a function. */
  mayBind(functionId: string, isRoute: boolean): boolean
  withheld: Withheld
}

export function createTriggerTable(options: TriggerTableOptions): TriggerTable {
  const { instance, namespace: own, log, send, isHeld, mayBind, withheld } = options
  const triggers = new Map<string, RegisteredTrigger>()

  const say = (id: string, { functionId, frame, route }: RegisteredTrigger) =>
    withheld.say(id, frame, () => mayBind(functionId, route !== undefined))

  function checkPath(path: string): void {
    const earlier = [...triggers.values()].flatMap(({ route }) => route?.path ?? [])
    const other = findParamConflict(path, earlier)
    if (other === undefined) return
    throw new Fault('conflict', `api_path '${path}' and '${other}' name the same parameter differently; use one name`)
  }

  return {
    register(input) {
      checkFields(input)
      const { type, function_id: functionId, config = {}, metadata, optional, onError } = input
      const namespace = input.namespace === undefined ? own : toNamespace(input.namespace)
      checkTriggerConfig(type, config)
      const id = randomUUID()
      const route = type === 'http' ? toRoute(id, functionId, config as HttpConfig) : undefined
      if (route !== undefined) checkPath(route.path)
      const frame = formatFrame({
        type: 'registertrigger',
        id,
        trigger_type: type,
        function_id: functionId,
        namespace,
        config,
        metadata: { ...metadata, [INSTANCE_KEY]: instance },
      })
      const trigger = { type, functionId, namespace, isOptional: optional === true, frame, route, onError }
      triggers.set(id, trigger)
      if (!isHeld(functionId)) say(id, trigger)
      return {
        id,
        unregister() {
          if (!triggers.delete(id)) return
          withheld.forget(id)
          send(toEnd(id, trigger))
        },
        refresh() {
          if (triggers.has(id)) say(id, trigger)
        },
      }
    },
    wishes: { [Symbol.iterator]: () => triggers.values() },
    routes: () => [...triggers.values()].flatMap(({ route }) => route ?? []),
    repeat(ids) {
      for (const id of ids) {
        const trigger = triggers.get(id)
        if (trigger !== undefined) say(id, trigger)
      }
    },
    withdraw(functionIds) {
      for (const [id, trigger] of triggers) {
        if (!functionIds.includes(trigger.functionId)) continue
        send(toEnd(id, trigger))
        say(id, trigger)
      }
    },
    onResult({ id, trigger_type: type, function_id: functionId, error }) {
      const trigger = triggers.get(id)
      if (trigger === undefined || !error) return
      const { code, message } = error
      log.error({ trigger_type: type, function_id: functionId, code }, `trigger registration failed: ${message}`)
      if (trigger.onError)
        tellListener(log, `onError of a trigger of type '${type}'`, trigger.onError, { code, message })
    },
    sendAll() {
      for (const [id, trigger] of triggers) if (!isHeld(trigger.functionId)) say(id, trigger)
    },
  }
}

function checkFields(input: TriggerInput): void {
  refuseMistyped('A trigger', input, FIELDS)
  requireBooleans('A trigger', input, ['optional'])
  requireFunctions('A trigger', input, ['onError'])
  for (const [field, what] of [
    ['type', "type of what it waits for, for example 'http'"],
    ['function_id', 'function_id that it calls'],
  ] as const) {
    if (typeof input[field] === 'string' && input[field] !== '') continue
    throw new Fault('invalid_input', `A trigger needs the ${what}`)
  }
}

function toEnd(id: string, { type }: RegisteredTrigger): string {
  return formatFrame({ type: 'unregistertrigger', id, trigger_type: type })
}

interface HttpConfig {
  api_path: string
  http_method?: string
}

function toRoute(id: string, functionId: string, { api_path: path, http_method: method = 'GET' }: HttpConfig): Route {
  return { id, functionId, method: method.toUpperCase(), path }
}

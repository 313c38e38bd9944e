import { DEFAULT_NAMESPACE, Fault } from '@iii/protocol'
import { type JsonSchema, toJsonSchema, type ZodSchema } from '../schema/json-schema.ts'
import { requireSchema } from '../schema/required-schema.ts'
import { type NamesOf, refuseMistyped } from '../suggestions/mistyped.ts'
import { type BindFrame, formatFrame } from '../wire/frames.ts'
import { toErrorBody } from './dispatch.ts'
import type { Registration } from './function.ts'
import type { Withheld } from './withheld.ts'

/** A kind of trigger that this worker provides. */
export interface TriggerTypeInput {
  id: string
  description?: string | undefined
  /** Schema of the `config` of a binding. */
  trigger_request_format?: ZodSchema | JsonSchema | undefined
  /** Schema of the payload that a bound function is called with. */
  call_request_format?: ZodSchema | JsonSchema | undefined
  /**
   * Other workers provide it too, and one of them is enough: the engine is told of it by `refresh()` alone, on each connection anew, so that
   * workers that come together do not take it from each other. @default false
   */
  shared?: boolean | undefined
}

const FIELDS: NamesOf<TriggerTypeInput> = {
  id: true,
  description: true,
  trigger_request_format: true,
  call_request_format: true,
  shared: true,
}

/** Somebody's wish to have `function_id` called. */
export interface Binding {
  id: string
  function_id: string
  config: unknown
  /** To be handed on with every call of the function. */
  metadata: unknown
  /** Where the function is, to be called there. */
  namespace?: string | undefined
}

export interface TriggerTypeHandler {
  /** Accepts a binding, or throws to refuse it. The engine repeats bindings, so it must be idempotent per id. */
  registerTrigger(binding: Binding): void | Promise<void>
  unregisterTrigger(binding: { id: string }): void | Promise<void>
}

/** The trigger types this worker provides, which the engine must learn again on each connection. */
export interface TriggerTypeTable {
  register(input: TriggerTypeInput, handler: TriggerTypeHandler): Registration
  has(type: string): boolean
  bind(frame: BindFrame, epoch: number): void
  unbind(id: string, type: string | undefined): void
  /** Says all types once more; the engine then repeats the bindings that still live. */
  repeat(): void
  /** The engine has repeated them: lets go of those that it did not. */
  onRepeated(): void
  /** Says all, on a new connection. */
  sendAll(): void
}

interface ProvidedType {
  frame: string
  handler: TriggerTypeHandler
  isShared: boolean
  /** Whether the engine has to hear of it on this connection. */
  isOffered: boolean
  bound: Set<string>
  /** Bindings that the engine has not repeated yet: somebody else provided the type meanwhile, and was told what ended. */
  unrepeated: Set<string>
}

export interface TriggerTypeTableOptions {
  /** Hands a frame to the engine, if the connection is (still) the given one. */
  send(text: string, epoch?: number): void
  /** Whether they are kept back until they are repeated. */
  isHeld(): boolean
  /** Whether nothing is taken from another worker by saying them. */
  mayProvide(): boolean
  withheld: Withheld
}

export function createTriggerTypeTable({
  send,
  isHeld,
  mayProvide,
  withheld,
}: TriggerTypeTableOptions): TriggerTypeTable {
  const types = new Map<string, ProvidedType>()
  const say = (id: string, { frame }: ProvidedType) => withheld.say(toKey(id), frame, mayProvide)
  const offered = () => [...types].filter(([, { isOffered }]) => isOffered)
  // What happens to one binding happens in the order the engine said, also when the handlers take their time.
  const busy = new Map<string, Promise<void>>()

  function inOrder(id: string, work: () => Promise<void>): void {
    const turn = (busy.get(id) ?? Promise.resolve()).then(work).finally(() => {
      if (busy.get(id) === turn) busy.delete(id)
    })
    busy.set(id, turn)
  }

  async function bind(frame: BindFrame, epoch: number): Promise<void> {
    const { id, trigger_type, function_id, config, metadata, namespace = DEFAULT_NAMESPACE } = frame
    const result = { type: 'triggerregistrationresult', id, trigger_type, function_id }
    const provided = types.get(trigger_type)
    if (provided === undefined) {
      const error = { code: 'trigger_type_not_found', message: `This worker does not provide '${trigger_type}'` }
      return send(formatFrame({ ...result, error }), epoch)
    }
    try {
      await provided.handler.registerTrigger({ id, function_id, config, metadata, namespace })
      provided.bound.add(id)
      send(formatFrame(result), epoch)
    } catch (error) {
      const { message } = toErrorBody(error)
      send(formatFrame({ ...result, error: { code: 'trigger_registration_failed', message } }), epoch)
    }
  }

  async function unbind(id: string, type: string | undefined): Promise<void> {
    for (const [typeId, { handler, bound }] of types) {
      if ((type === undefined || type === typeId) && bound.delete(id)) await handler.unregisterTrigger({ id })
    }
  }

  const end = (id: string, type: string | undefined) => inOrder(id, () => unbind(id, type).catch(() => undefined))

  return {
    register(input, handler) {
      requireType(input, handler)
      const { id } = input
      if (types.has(id)) throw new Fault('conflict', `This worker provides the trigger type '${id}' already`)
      const provided = toProvided(input, handler)
      types.set(id, provided)
      if (provided.isOffered && !isHeld()) say(id, provided)
      return {
        id,
        // The engine has no message for this; it forgets the type when this worker leaves.
        unregister() {
          withheld.forget(toKey(id))
          types.delete(id)
        },
        refresh() {
          if (!types.has(id)) return
          provided.isOffered = true
          say(id, provided)
        },
      }
    },
    has: (type) => types.has(type),
    bind(frame, epoch) {
      types.get(frame.trigger_type)?.unrepeated.delete(frame.id)
      inOrder(frame.id, () => bind(frame, epoch))
    },
    unbind: end,
    repeat() {
      for (const [id, provided] of offered()) {
        for (const binding of provided.bound) provided.unrepeated.add(binding)
        say(id, provided)
      }
    },
    onRepeated() {
      for (const [type, { unrepeated }] of types) {
        for (const id of unrepeated) end(id, type)
        unrepeated.clear()
      }
    },
    sendAll() {
      for (const provided of types.values()) provided.isOffered = !provided.isShared
      for (const [id, provided] of isHeld() ? [] : offered()) say(id, provided)
    },
  }
}

/** @throws Fault `invalid_input` for what the engine drops without a word, or what would fail when somebody binds to it */
function requireType(input: TriggerTypeInput, handler: TriggerTypeHandler): void {
  refuseMistyped('A trigger type', input, FIELDS)
  if (typeof input.id !== 'string' || input.id === '') {
    throw new Fault('invalid_input', "A trigger type needs an id, for example 'orders::on-change'")
  }
  for (const field of ['trigger_request_format', 'call_request_format'] as const) {
    requireSchema(`The ${field} of the trigger type '${input.id}'`, input[field] ?? undefined)
  }
  const { registerTrigger, unregisterTrigger }: Partial<TriggerTypeHandler> = Object(handler)
  if (typeof registerTrigger === 'function' && typeof unregisterTrigger === 'function') return
  const right = 'registerTriggerType(type, { registerTrigger, unregisterTrigger })'
  throw new Fault('invalid_input', `The trigger type '${input.id}' has no handler: ${right}`)
}

function toProvided(input: TriggerTypeInput, handler: TriggerTypeHandler): ProvidedType {
  const { id, description = '', trigger_request_format: config, call_request_format: call, shared = false } = input
  const frame = formatFrame({
    type: 'registertriggertype',
    id,
    description,
    trigger_request_format: config && toJsonSchema(config, 'input'),
    call_request_format: call && toJsonSchema(call, 'output'),
  })
  return { frame, handler, isShared: shared, isOffered: !shared, bound: new Set(), unrepeated: new Set() }
}

/** Triggers are withheld as well. */
function toKey(id: string): string {
  return `type ${id}`
}

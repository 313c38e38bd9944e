import { FETCH_TOOL_ID, type JsonObject, type ToolResult, toFault, toToolError, toToolResult } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import type { Gate } from '../gate/index.ts'
import { readKey, type Sight, toKey } from '../gate/sight.ts'
import type { McpCall } from '../mcp/call.ts'
import { createAttached } from './attached.ts'
import { readPlace } from './place.ts'
import { explainTaken } from './routes-taken.ts'
import { readObject, readText } from './tool-table.ts'
import { checkConfig, findFunctions, toTriggerType } from './trigger-config.ts'

/** The triggers that a client has attached: they are there as long as this process is connected. */
export interface AttachedTriggers {
  register(input: JsonObject, call: Pick<McpCall, 'principal'>): Promise<ToolResult>
  unregister(input: JsonObject): ToolResult
  /** The rules for what is shown have changed: what leads to something that they hide is detached. */
  recheck(): Promise<void>
  /** Detaches them all. */
  close(): void
}

export interface TriggersOptions {
  readonly worker: Pick<Worker, 'trigger' | 'registerTrigger'>
  readonly gate: Gate
  readonly sight: Sight
  /** The path that this server is reached at. */
  readonly apiPath: () => string
  /** For each question to the engine. */
  readonly timeoutMs: number
  /** Told when one was attached or detached: the engine has no event for that. */
  readonly onChange: () => void
}

interface Wanted {
  readonly principal: Principal
  /** As the client said it. */
  readonly asked: string
  readonly type: string
  readonly functionId: string
  /** Where the function is, if not in the namespace of the bridge; also that of the others that the trigger calls. */
  readonly namespace: string | undefined
  readonly config: JsonObject
}

const MAX_TRIGGERS = 64

export function createAttachedTriggers({
  worker,
  gate,
  sight,
  apiPath,
  timeoutMs,
  onChange,
}: TriggersOptions): AttachedTriggers {
  const attached = createAttached({ gate, onChange })
  /** One after the other: what one looks at must not be changed by the next. */
  let turn: Promise<unknown> = Promise.resolve()

  function ask(function_id: string, payload: object): Promise<unknown> {
    return worker.trigger({ function_id, payload, timeoutMs })
  }

  /** @returns the text for the client when it may not be */
  async function refuse({
    principal,
    asked,
    type,
    functionId,
    namespace,
    config,
  }: Wanted): Promise<string | undefined> {
    if (attached.size >= MAX_TRIGGERS) {
      return `There are ${MAX_TRIGGERS} triggers already, which is the most; unregister one first`
    }
    const problem = checkConfig(type, config, apiPath())
    if (problem !== undefined) return `Invalid params: ${problem}`
    const denial = await deny(toCalled({ functionId, namespace, config }), principal)
    if (denial !== undefined) return denial
    if (!(await isProvided(type, ask)))
      return `The engine has nothing that serves triggers of type '${asked}' (${type})`
    return type === 'http' ? explainTaken(worker, config, timeoutMs) : undefined
  }

  async function deny(keys: readonly string[], principal: Principal): Promise<string | undefined> {
    for (const key of keys) {
      const { id } = readKey(key)
      // What it would be called with is not known now, and it calls other functions for it.
      if (id === FETCH_TOOL_ID) return `Function '${id}' takes no triggers`
      const pass = await gate.admit(key, 'tool', principal)
      if (!pass.allowed) return pass.message
    }
    return undefined
  }

  /** The engine says nothing when it takes a trigger, and why when it does not. */
  async function attach(wanted: Wanted): Promise<ToolResult> {
    const refusal = await refuse(wanted)
    if (refusal !== undefined) return toToolError(refusal)
    const { asked, type, functionId, namespace, config } = wanted
    let failure: string | undefined
    const onError = ({ message }: { message: string }) => {
      failure = message
    }
    const registration = worker.registerTrigger({ type, function_id: functionId, namespace, config, onError })
    try {
      // What one connection says is taken in this order, so that the answer comes after an error.
      await ask('engine::registered-triggers::info', { id: registration.id })
    } catch (error) {
      failure ??= toFault(error).message
    }
    if (failure !== undefined) {
      registration.unregister()
      return toToolError(`The engine did not take the trigger: ${failure}`)
    }
    attached.add(registration, { functionIds: toCalled(wanted), principal: wanted.principal })
    return toToolResult({ id: registration.id, trigger_type: asked, function_id: functionId })
  }

  return {
    async register(input, { principal }) {
      const wanted = readWanted(input, sight, principal)
      if (typeof wanted === 'string') return toToolError(wanted)
      const result = turn.then(() => attach(wanted))
      turn = result.catch(() => undefined)
      return result
    },
    unregister(input) {
      const id = readText(input, 'id')
      if (id === undefined) return toToolError('Missing required field: id')
      const problem = attached.remove(id)
      return problem === undefined ? toToolResult({ id, message: 'Unregistered' }) : toToolError(problem)
    },
    recheck: attached.recheck,
    close: attached.close,
  }
}

async function isProvided(type: string, ask: (id: string, payload: object) => Promise<unknown>): Promise<boolean> {
  try {
    await ask('engine::triggers::info', { id: type })
    return true
  } catch (error) {
    if (toFault(error).code === 'not_found') return false
    throw error
  }
}

function toCalled({ functionId, namespace, config }: Pick<Wanted, 'functionId' | 'namespace' | 'config'>): string[] {
  return [functionId, ...findFunctions(config)].map((id) => toKey({ namespace, id }))
}

function readWanted(input: JsonObject, sight: Sight, principal: Principal): Wanted | string {
  const asked = readText(input, 'trigger_type')
  const functionId = readText(input, 'function_id')
  const config = readObject(input, 'config')
  if (asked === undefined) return 'Invalid params: missing field `trigger_type`'
  if (functionId === undefined) return 'Invalid params: missing field `function_id`'
  if (config === undefined || input['config'] === undefined) return 'Invalid params: config must be an object'
  const type = toTriggerType(asked)
  if (type === undefined) {
    return `Invalid params: trigger_type '${asked.slice(0, 64)}' cannot be attached here; use http, cron or queue`
  }
  const place = readPlace(input, sight)
  return typeof place === 'string' ? place : { principal, asked, type, functionId, ...place, config }
}

import { FETCH_TOOL_ID, type JsonObject, type ToolResult, toFault, toToolError, toToolResult } from '@iii/protocol'
import { type Action, InvocationError, TriggerAction } from '@iii/sdk'
import type { Gate } from '../gate/index.ts'
import { type Sight, toKey } from '../gate/sight.ts'
import type { Slots } from '../invocation/slots.ts'
import type { McpCall } from '../mcp/call.ts'
import { toFetchRequest } from '../resources/fetch-request.ts'
import { readPlace } from './place.ts'
import { readObject, readText } from './tool-table.ts'

/** Calls whose result nobody waits for. */
export interface Invoke {
  /** Fire and forget. */
  toVoid(input: JsonObject, call: McpCall): Promise<ToolResult>
  /** Hands the call to a queue. */
  enqueue(input: JsonObject, call: McpCall): Promise<ToolResult>
}

const DEFAULT_QUEUE = 'default'
const MAX_QUEUE_LENGTH = 256

export interface InvokeOptions {
  readonly gate: Gate
  readonly sight: Sight
  readonly slots: Slots
}

export function createInvoke({ gate, sight, slots }: InvokeOptions): Invoke {
  /** @throws what the engine says */
  async function send(
    input: JsonObject,
    call: McpCall,
    action: Action,
  ): Promise<{ refusal: string } | { id: string; answer: unknown }> {
    const { principal, limits, signal } = call
    const id = readText(input, 'function_id')
    if (id === undefined) return { refusal: 'Missing required field: function_id' }
    const payload = readObject(input, 'payload')
    if (payload === undefined) return { refusal: 'Invalid params: payload must be an object' }
    const place = readPlace(input, sight)
    if (typeof place === 'string') return { refusal: place }
    const key = toKey({ ...place, id })
    const pass = await gate.admit(key, 'tool', principal)
    call.trace?.leadsTo(key, pass)
    if (!pass.allowed) return { refusal: pass.message }
    const asked =
      id === FETCH_TOOL_ID
        ? await toFetchRequest(payload, { gate, principal, namespace: place.namespace })
        : { input: payload, unread: undefined }
    if (asked.refusal !== undefined) return { refusal: asked.refusal }
    const options = { principal, timeoutMs: limits.timeoutMs, metadata: undefined, signal, action }
    return { id, answer: await slots.run(call, () => pass.call(asked.input, options)) }
  }

  return {
    async toVoid(input, call) {
      const sent = await send(input, call, TriggerAction.Void())
      return 'refusal' in sent ? toToolError(sent.refusal) : toToolResult(`Triggered (void): ${sent.id}`)
    },
    async enqueue(input, call) {
      const queue = input['queue'] === undefined ? DEFAULT_QUEUE : readText(input, 'queue')
      if (queue === undefined || queue.length > MAX_QUEUE_LENGTH) {
        return toToolError(`Invalid params: queue must be a name of 1 to ${MAX_QUEUE_LENGTH} characters`)
      }
      try {
        const sent = await send(input, call, TriggerAction.Enqueue({ queue }))
        return 'refusal' in sent ? toToolError(sent.refusal) : toToolResult(sent.answer)
      } catch (error) {
        if (isWithoutQueues(error)) return toToolError(NO_QUEUES)
        throw error
      }
    },
  }
}

const NO_QUEUES = [
  'The engine has no queue worker, so nothing was enqueued and nothing will run.',
  "Named queues come with the worker 'queue' (iii-queue brings topics alone), which the operator adds to the engine with: iii worker add queue.",
  'Without it, iii_trigger_void calls the function at once.',
].join(' ')

function isWithoutQueues(error: unknown): boolean {
  if (!(error instanceof InvocationError)) return false
  return toFault(error).message.includes('No queue provider is installed')
}

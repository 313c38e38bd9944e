import {
  DEFAULT_NAMESPACE,
  Fault,
  type FaultCode,
  formatToolName,
  refuseInternal,
  toFault,
  toPlainMessage,
  type Via,
} from '@iii/protocol'
import { countHop, type Worker } from '@iii/sdk'
import { z } from 'zod'
import { passSidecar } from './sidecar.ts'

/** Calls of other workers' functions on behalf of whoever reads a section or gets a prompt. */
export interface FunctionCalls {
  /**
   * Calls a function, unless it lies below the floor of the gate.
   *
   * @throws Fault `forbidden` for a function that is internal, and for one that only a chain of too many addresses and prompts led to;
   *   `overloaded` when too many run already; else the function's own fault, in a message that names it: `deadline` when it took too
   *   long, `unavailable` when nobody offers it.
   */
  call(request: FunctionRequest): Promise<unknown>
}

export interface FunctionRequest {
  functionId: string
  /** Where it is. @default where the registry is */
  namespace?: string | undefined
  payload: unknown
  /** For whom: decides the words of a refusal. */
  via: Via
  /** Of the invocation that asks for this: what the bridge says there about the MCP call behind it is passed on. */
  metadata: unknown
  /** The address that is read. */
  uri?: string
}

/**
 * So many functions run at once for everybody together. What leads to itself ends by the count of hops; where a worker on the way does not
 * pass its trace context on, by this.
 */
export const MAX_CALLS_AT_ONCE = 256
/** What is known of a function may be this old when it is called. */
const FRESH_MS = 1000
/** More functions than that are not remembered at once. */
const MAX_REMEMBERED = 1000

const FunctionDetail = z.object({ metadata: z.unknown().optional() })

/** @param timeoutMs how long a call may take, the look at the function's metadata included. */
export function createFunctionCalls(worker: Worker, timeoutMs: () => number): FunctionCalls {
  const { namespace: own = DEFAULT_NAMESPACE } = worker
  const known = new Map<string, { metadata: unknown; at: number }>()

  /** Who offers no such function now may do so in a moment: only what is there is remembered. */
  async function readMetadata(functionId: string, namespace: string, timeout: number): Promise<unknown> {
    const at = performance.now()
    const key = JSON.stringify([namespace, functionId])
    const remembered = known.get(key)
    if (remembered && at - remembered.at < FRESH_MS) return remembered.metadata
    const detail = await worker.trigger({
      function_id: 'engine::functions::info',
      // Without a namespace the engine tells of one elsewhere, where there is none here to be called.
      payload: { function_id: functionId, namespace },
      timeoutMs: timeout,
    })
    const answer = FunctionDetail.safeParse(detail)
    if (!answer.success) throw new Fault('internal', 'the engine did not say what this function is')
    const { metadata } = answer.data
    if (known.size >= MAX_REMEMBERED) known.clear()
    known.set(key, { metadata, at })
    return metadata
  }

  async function run({ functionId, namespace = own, payload, via, metadata, uri }: FunctionRequest): Promise<unknown> {
    const end = performance.now() + timeoutMs()
    const left = () => Math.max(1, Math.ceil(end - performance.now()))
    const declared = await readMetadata(functionId, namespace, left()).catch((error: unknown) => {
      const fault = toFault(error)
      throw explain(functionId, fault, fault.code === 'not_found' ? 'unavailable' : fault.code)
    })
    requireShown(functionId, declared, via)
    const sidecar = passSidecar(metadata, { from: own, to: namespace, uri })
    const call = { function_id: functionId, namespace, payload, metadata: sidecar, timeoutMs: left() }
    return worker.trigger(call).catch((error: unknown) => {
      const fault = toFault(error)
      // What a handler could not find is not the prompt: its arguments named something that is not there.
      const code = via === 'prompt' && fault.code === 'not_found' ? 'invalid_input' : fault.code
      const isPlain = via === 'section' && code === 'invalid_input'
      throw explain(functionId, fault, code, isPlain ? `. ${toAdvice(functionId, namespace, own)}` : '')
    })
  }

  let running = 0
  return {
    async call(request) {
      const { functionId, via } = request
      requireShown(functionId, undefined, via)
      requireRoom(functionId, running)
      running += 1
      try {
        return await countHop(functionId, () => run(request))
      } finally {
        running -= 1
      }
    },
  }
}

function requireRoom(functionId: string, running: number): void {
  if (running < MAX_CALLS_AT_ONCE) return
  const limit = `${MAX_CALLS_AT_ONCE} functions run for sections and prompts already, which is the limit`
  throw new Fault('overloaded', `${functionId} is not called: ${limit}; try again later`)
}

function requireShown(functionId: string, metadata: unknown, via: Via): void {
  const refusal = refuseInternal(functionId, metadata, via)
  if (refusal) throw new Fault('forbidden', refusal.message)
}

/** Whoever reads an address cannot give what the function misses. */
function toAdvice(functionId: string, namespace: string, own: string): string {
  const tool = formatToolName(functionId, namespace === own ? undefined : namespace)
  return `Reading an address gives no arguments: where it is a tool, call ${tool}`
}

function explain(functionId: string, fault: Fault, code: FaultCode, advice = ''): Fault {
  return new Fault(code, `trigger ${functionId}: ${toPlainMessage(fault.message)}${advice}`, { cause: fault })
}

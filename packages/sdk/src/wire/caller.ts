import { randomUUID } from 'node:crypto'
import { Fault } from '@iii/protocol'
import type { TriggerRequest } from '../engine/call.ts'
import { InvocationError } from '../engine/invocation-error.ts'
import { toCallNamespace } from '../engine/namespace.ts'
import { createCallsInFlight } from './calls.ts'
import type { EngineConnection } from './connection.ts'
import { formatCall, type ResultFrame } from './frames.ts'
import type { Outbox } from './outbox.ts'
import { currentTrace } from './trace.ts'

/** Our calls: sent, queued while there is no connection, and settled whatever happens. */
export interface Caller {
  /** Calls without an answer. */
  readonly pending: number
  call(request: TriggerRequest): Promise<unknown>
  settle(frame: ResultFrame): void
  /** Sends what was queued. */
  onUp(): void
  /** Fails what was out on the lost connection; what is still queued stays. */
  onDown(reason: string): void
  /** Fails everything, now and from now on. */
  close(): void
}

/** An engine that has not read so much is not asked for more. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024

export interface CallerOptions {
  connection: EngineConnection
  outbox: Outbox
  /** Deadline of a call that names none. */
  timeoutMs: number
  /** Where functions are looked for that are not the engine's own; undefined for `default`. */
  namespace: string | undefined
}

export function createCaller({ connection, outbox, timeoutMs, namespace: own }: CallerOptions): Caller {
  let closed = false
  const calls = createCallsInFlight((invocationId) => {
    const unsent = outbox.has(invocationId)
    if (unsent) outbox.remove(invocationId)
    return { unsent, problem: connection.problem }
  })

  function deliver(text: string, invocationId: string | undefined): void {
    if (connection.state !== 'connected') {
      outbox.add(text, invocationId)
      return
    }
    if (connection.bufferedBytes > MAX_BUFFERED_BYTES) {
      throw new Fault('overloaded', `The engine has not read the last ${MAX_BUFFERED_BYTES} bytes yet; try again later`)
    }
    connection.send(text)
  }

  async function call(request: TriggerRequest): Promise<unknown> {
    const { function_id: functionId, payload = {}, action, metadata, signal } = request
    if (typeof functionId !== 'string' || functionId === '') {
      throw new Fault('invalid_input', 'A call needs the function_id of what it calls')
    }
    if (closed) throw shutDownError(functionId)
    if (signal?.aborted) {
      const text = `The call of ${functionId} was given up by its caller: it was never sent`
      throw new InvocationError('ABORTED', text, functionId, { cause: signal.reason })
    }
    const invocationId = action?.type === 'void' ? undefined : randomUUID()
    const namespace = toCallNamespace(functionId, request.namespace, own)
    const text = formatCall({ invocationId, functionId, payload, metadata, namespace, action, trace: currentTrace() })
    if (invocationId === undefined) return deliver(text, undefined)
    deliver(text, invocationId)
    return calls.open(invocationId, { functionId, timeoutMs: request.timeoutMs ?? timeoutMs, signal })
  }

  return {
    get pending() {
      return calls.size
    },
    call,
    settle: calls.settle,
    onUp: () => outbox.drain((text) => connection.send(text)),
    onDown(reason) {
      calls.failAll((invocationId, functionId) => {
        if (outbox.has(invocationId)) return undefined
        const text = `The connection to the engine was lost while ${functionId} was called (${reason}): the outcome is unknown`
        return new InvocationError('connection_lost', text, functionId)
      })
    },
    close() {
      closed = true
      calls.failAll((_, functionId) => shutDownError(functionId))
    },
  }
}

function shutDownError(functionId: string): InvocationError {
  return new InvocationError('closed', `This worker was shut down; ${functionId} cannot be called any more`, functionId)
}

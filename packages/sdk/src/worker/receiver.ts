import type { Logger } from '../log.ts'
import type { Caller } from '../wire/caller.ts'
import { parseInvocationHead } from '../wire/frame-head.ts'
import { type IncomingFrame, parseFrame, type RejectionFrame, type ResultFrame } from '../wire/frames.ts'
import type { Readiness } from '../wire/readiness.ts'
import type { Dispatch } from './dispatch.ts'
import type { FunctionTable } from './function-table.ts'
import type { Presence } from './presence.ts'
import type { TriggerTypeTable } from './trigger-types.ts'
import type { TriggerTable } from './triggers.ts'

/** Who is told what, of all that the engine sends. */
export interface ReceiverParts {
  functions: FunctionTable
  dispatch: Dispatch
  caller: Caller
  triggers: TriggerTable
  types: TriggerTypeTable
  readiness: Readiness
  presence: Presence
  /** A function is not ours: another worker has it already. */
  onTaken: (functionId: string, ownerWorkerId: string | undefined) => void
  log: Logger
  send: (text: string) => void
  /** The number of the connection on which messages come. */
  epoch: () => number
}

/** Reads the messages of the engine and hands each to the part that acts on it. */
export function createReceiver(parts: ReceiverParts): (data: Buffer) => void {
  const { functions, dispatch } = parts

  /** Answers a call that its function does not want to read, from its first bytes. */
  function refuseTooLarge(data: Buffer): boolean {
    const head = parseInvocationHead(data)
    const fn = head && functions.all.get(head.functionId)
    if (head === undefined || fn === undefined || data.length <= fn.limit) return false
    dispatch.refuse(fn, head.invocationId, data.length, parts.epoch())
    return true
  }

  return (data) => {
    if (data.length > functions.smallestLimit && refuseTooLarge(data)) return
    const frame = parseFrame(data.toString())
    if (frame?.type === 'invokefunction') dispatch.invoke(frame, data.length, parts.epoch())
    else if (frame?.type === 'invocationresult') receiveResult(frame, parts)
    else if (frame !== undefined) receiveOther(frame, parts)
  }
}

function receiveResult(frame: ResultFrame, { presence, caller }: ReceiverParts): void {
  // One of them asked.
  if (!caller.settle(frame)) presence.onResult(frame)
}

function receiveOther(
  frame: Exclude<IncomingFrame, { type: 'invokefunction' | 'invocationresult' }>,
  { triggers, types, readiness, presence, onTaken, log, send, epoch }: ReceiverParts,
): void {
  switch (frame.type) {
    case 'registertrigger':
      types.bind(frame, epoch())
      break
    case 'unregistertrigger':
      types.unbind(frame.id, frame.trigger_type)
      break
    case 'triggerregistrationresult':
      triggers.onResult(frame)
      break
    case 'pong':
      readiness.onPong()
      break
    case 'ping':
      send('{"type":"pong"}')
      break
    case 'error':
      log.error({ code: frame.error?.code }, `the engine reports: ${frame.error?.message}`)
      break
    case 'registrationrejected':
      if (isTaken(frame)) onTaken(frame.function_id, frame.owner_worker_id)
      else presence.onRejected(frame)
      break
    case 'workerregistered':
  }
}

function isTaken(frame: RejectionFrame): frame is RejectionFrame & { function_id: string } {
  return frame.code === 'FUNCTION_NAMESPACE_CONFLICT' && typeof frame.function_id === 'string'
}

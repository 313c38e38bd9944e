import { randomUUID } from 'node:crypto'
import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { Calls } from '../bus/calls.ts'
import { objectText, quote, quoteMaybe } from '../json/build.ts'
import type { InvokeFrame } from '../wire/frames.ts'
import { toWireNamespace } from '../wire/namespace.ts'
import type { CallResult } from '../wire/outgoing.ts'
import { childTrace, forwardTrace } from '../wire/trace-context.ts'

/** The function that whoever offers queues registers; no part of the engine does. */
const PROVIDER = 'engine::queue::enqueue'

const NO_PROVIDER =
  'No queue provider is installed. `TriggerAction::Enqueue` routes through the `engine::queue::enqueue` provider, which the standalone queue worker registers. Add it with `iii worker add queue`.'

/** Hands a call to the queue provider; the caller gets a receipt instead of the result. */
export function enqueue(calls: Calls, frame: InvokeFrame, queue: string, settle: (outcome: CallResult) => void): void {
  const { functionId, traceparent, namespace = DEFAULT_NAMESPACE } = frame
  const receipt = objectText({ messageReceiptId: quote(randomUUID()) })
  const { baggage = '' } = forwardTrace({ traceparent, baggage: frame.baggage ?? '' }, functionId)
  const data = objectText({
    queue: quote(queue),
    function_id: quote(functionId),
    data: frame.data,
    messageReceiptId: receipt.slice(receipt.indexOf(':') + 1, -1),
    traceparent: traceparent === undefined ? 'null' : quote(traceparent),
    baggage: quote(baggage),
    namespace: quoteMaybe(toWireNamespace(namespace)),
  })
  const trace = { ...childTrace({ traceparent }), baggage }
  calls.start({ functionId: PROVIDER, data, trace }, ({ error }) => {
    if (!error) settle({ result: receipt })
    else if (error.code === 'function_not_found') fail(`${NO_PROVIDER} (underlying: ${error.message})`)
    else fail(`${error.code}: ${error.message}`)
  })
  function fail(message: string) {
    settle({ error: { code: 'enqueue_error', message } })
  }
}

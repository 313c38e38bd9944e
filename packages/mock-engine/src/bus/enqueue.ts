import { randomUUID } from 'node:crypto'
import { objectText, quote, quoteMaybe } from '../json/build.ts'
import type { Calls } from './calls.ts'
import type { InvokeFrame } from './frames.ts'
import { DEFAULT_NAMESPACE, toWireNamespace } from './namespace.ts'
import type { Outcome } from './outgoing.ts'
import { childTrace, forwardTrace } from './trace-context.ts'

/** The function that whoever offers queues registers; no part of the engine does. */
const PROVIDER = 'engine::queue::enqueue'

const NO_PROVIDER =
  'No queue provider is installed. `TriggerAction::Enqueue` routes through the `engine::queue::enqueue` provider, which the standalone queue worker registers. Add it with `iii worker add queue`.'

/** Hands a call to the queue provider; the caller gets a receipt instead of the result. */
export function enqueue(calls: Calls, frame: InvokeFrame, queue: string, settle: (outcome: Outcome) => void): void {
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

import { objectText, quote } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import type { WireError } from '../wire/frames.ts'
import type { DeadLetter } from './subscriber-queue.ts'

/** A dead letter as `engine::queue::dlq_messages` shows it. */
export function formatDeadLetter({
  message,
  error,
  failedAt,
  queue,
}: DeadLetter & { readonly queue: string }): JsonText {
  const { id, payload, attempts } = message
  return objectText({
    id: quote(id),
    payload,
    error: quote(error),
    failed_at: String(Math.floor(failedAt / 1000)),
    retries: String(attempts),
    size_bytes: String(Buffer.byteLength(storedText({ message, error, failedAt, queue }))),
  })
}

/** The size is that of everything the engine keeps of it. */
function storedText({ message, error, failedAt, queue }: DeadLetter & { readonly queue: string }): JsonText {
  const { id, payload, attempts, createdAt, trace } = message
  const job = objectText({
    id: quote(id),
    queue: quote(queue),
    data: payload,
    attempts_made: String(attempts),
    max_attempts: String(attempts),
    backoff_delay_ms: '1000',
    created_at: String(createdAt),
    process_at: attempts > 1 ? String(failedAt) : 'null',
    group_id: 'null',
    traceparent: trace.traceparent === undefined ? 'null' : quote(trace.traceparent),
    baggage: trace.baggage === undefined ? 'null' : quote(trace.baggage),
    function_id: 'null',
    message_id: 'null',
  })
  return objectText({ job, error: quote(error), failed_at: String(failedAt) })
}

/** An error as the engine notes it. */
export function debugText({ code, message, stacktrace }: WireError): string {
  const stack = stacktrace === undefined ? 'None' : `Some(${JSON.stringify(stacktrace)})`
  return `ErrorBody { code: ${JSON.stringify(code)}, message: ${JSON.stringify(message)}, stacktrace: ${stack} }`
}

import { objectText, quote } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import type { WireError } from '../wire/frames.ts'
import type { DeadLetter } from './subscriber-queue.ts'

/** A dead letter, with the name of its queue and the wait before its second attempt, in milliseconds. */
export interface QueuedDeadLetter extends DeadLetter {
  readonly queue: string
  readonly backoffMs: number
}

/** A dead letter as `engine::queue::dlq_messages` shows it. */
export function formatDeadLetter(letter: QueuedDeadLetter): JsonText {
  const { message, error, failedAt } = letter
  const { id, payload, attempts } = message
  return objectText({
    id: quote(id),
    payload,
    error: quote(error),
    failed_at: String(Math.floor(failedAt / 1000)),
    retries: String(attempts),
    size_bytes: String(Buffer.byteLength(storedText(letter))),
  })
}

/** The size is that of everything the engine keeps of it. */
function storedText({ message, error, failedAt, queue, backoffMs }: QueuedDeadLetter): JsonText {
  const { id, payload, attempts, createdAt, trace } = message
  const job = objectText({
    id: quote(id),
    queue: quote(queue),
    data: payload,
    attempts_made: String(attempts),
    max_attempts: String(attempts),
    backoff_delay_ms: String(backoffMs),
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

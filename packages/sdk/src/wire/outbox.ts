import { Fault } from '@iii/protocol'

export interface OutboxLimits {
  messages: number
  bytes: number
}

export const OUTBOX_LIMITS: OutboxLimits = { messages: 1000, bytes: 4 * 1024 * 1024 }

/** Calls that wait for the engine to come (back), in order. */
export interface Outbox {
  /** @throws Fault `overloaded` when it is full. */
  add(text: string, invocationId: string | undefined): void
  /** Nobody waits for this call any more: it must not be sent. */
  remove(invocationId: string): void
  has(invocationId: string): boolean
  /** Hands everything out, oldest first, and forgets it. */
  drain(send: (text: string) => void): void
}

export function createOutbox(limits: OutboxLimits = OUTBOX_LIMITS): Outbox {
  const waiting = new Map<string | symbol, { text: string; bytes: number }>()
  let bytes = 0
  return {
    add(text, invocationId) {
      const size = Buffer.byteLength(text)
      if (waiting.size >= limits.messages || bytes + size > limits.bytes) {
        throw new Fault(
          'overloaded',
          `The engine cannot be reached and too many calls wait for it already (limit ${limits.messages} calls, ${limits.bytes} bytes); try again later`,
        )
      }
      bytes += size
      waiting.set(invocationId ?? Symbol('void'), { text, bytes: size })
    },
    remove(invocationId) {
      bytes -= waiting.get(invocationId)?.bytes ?? 0
      waiting.delete(invocationId)
    },
    has: (invocationId) => waiting.has(invocationId),
    drain(send) {
      const texts = [...waiting.values()]
      waiting.clear()
      bytes = 0
      for (const { text } of texts) send(text)
    },
  }
}

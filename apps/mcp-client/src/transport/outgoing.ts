import { Fault, isRecord } from '@iii/protocol'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { Counts } from '../diagnostics/counts.ts'
import type { ServerProcess } from './server-process.ts'

/** What goes to a server. */
export interface ServerInput {
  /** @throws Fault for what cannot be sent, so that nothing waits that nobody reads */
  send(message: JSONRPCMessage): void
  /** @returns the method of the request with this id, once; undefined when nobody waits for such an answer */
  take(id: unknown): string | undefined
  close(): void
}

export interface OutgoingOptions {
  readonly process: Pick<ServerProcess, 'stdin'>
  /** The longest message, and what may wait in all, at the moment. */
  messageBytes(): number
  readonly counts: Counts
}

/** Answers that the server does not read are not kept; neither are pings. */
const MAX_WAITING_ANSWERS_BYTES = 64 * 1024

export function createOutgoing({ process: { stdin }, messageBytes, counts }: OutgoingOptions): ServerInput {
  /** Methods of the requests that wait for an answer. */
  const outstanding = new Map<number, string>()
  let isClosed = false

  function take(id: unknown): string | undefined {
    const key = toOwnId(id)
    const method = outstanding.get(key)
    outstanding.delete(key)
    return method
  }

  /** @returns whether it is to be sent at all */
  function isWanted(message: JSONRPCMessage): boolean {
    if ('method' in message) {
      if (message.method !== 'notifications/cancelled') return true
      const { requestId } = isRecord(message.params) ? message.params : {}
      return take(requestId) !== undefined
    }
    const hasRoom = stdin.writableLength < MAX_WAITING_ANSWERS_BYTES
    if (!hasRoom) counts.add('unanswered_requests')
    return hasRoom
  }

  function requireRoom(bytes: number): void {
    const waiting = stdin.writableLength
    const most = messageBytes()
    if (bytes > most) {
      const limit = `limits.message_bytes of this server (${most})`
      throw new Fault('too_large', `The message has ${bytes} bytes, which is over ${limit}`)
    }
    if (isClosed || !stdin.writable) throw new Fault('worker_lost', 'The process of the server has ended')
    if (waiting > 0 && waiting + bytes > most) {
      throw new Fault('unavailable', 'The server does not read what it is sent; nothing more was sent')
    }
  }

  return {
    send(message) {
      if (!isWanted(message)) return
      const text = `${JSON.stringify(message)}\n`
      requireRoom(Buffer.byteLength(text))
      if ('method' in message && 'id' in message) outstanding.set(Number(message.id), message.method)
      stdin.write(text)
    },
    take,
    close() {
      isClosed = true
      outstanding.clear()
    },
  }
}

/** A server that says an id or a token of ours as text is understood, as the official client does. */
export function toOwnId(id: unknown): number {
  return typeof id === 'number' || (typeof id === 'string' && /^\d{1,15}$/.test(id)) ? Number(id) : Number.NaN
}

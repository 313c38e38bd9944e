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
  /** @returns whether this is the answer to the last request that was given up and not answered since */
  endsGivenUp(id: unknown): boolean
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
/** Many servers never answer those. */
const MAX_GIVEN_UP = 1_000

export function createOutgoing({ process: { stdin }, messageBytes, counts }: OutgoingOptions): ServerInput {
  /** Methods of the requests that wait for an answer. */
  const outstanding = new Map<number, string>()
  /** Ids of those that nobody waits for any more and that were not answered; `more` for all that find no room. */
  const givenUp = new Set<number | 'more'>()
  let isClosed = false

  function take(id: unknown): string | undefined {
    const key = toOwnId(id)
    const method = outstanding.get(key)
    outstanding.delete(key)
    return method
  }

  /** @returns whether anybody waited for it */
  function giveUp(id: unknown): boolean {
    if (take(id) === undefined) return false
    givenUp.add(givenUp.size < MAX_GIVEN_UP ? toOwnId(id) : 'more')
    return true
  }

  /** @returns whether it is to be sent at all */
  function isWanted(message: JSONRPCMessage): boolean {
    if ('method' in message) {
      if (message.method !== 'notifications/cancelled') return true
      const { requestId } = isRecord(message.params) ? message.params : {}
      return giveUp(requestId)
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
    endsGivenUp: (id) => givenUp.delete(toOwnId(id)) && givenUp.size === 0,
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

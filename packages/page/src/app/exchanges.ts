import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { type Signal, signal } from '@preact/signals'

/** One JSON-RPC message. */
export interface SeenMessage {
  /** Counts all messages of this page. */
  readonly seq: number
  readonly at: number
  readonly direction: 'sent' | 'received'
  readonly message: JSONRPCMessage
}

/** So many of the last are kept. */
const KEPT = 200

export interface Recorder {
  readonly exchanges: Signal<readonly SeenMessage[]>
  /** Makes a transport tell of each message. */
  record<T extends Transport>(transport: T): T
}

export function createRecorder(): Recorder {
  const exchanges = signal<readonly SeenMessage[]>([])
  let seq = 0

  function note(direction: SeenMessage['direction'], message: JSONRPCMessage): void {
    seq += 1
    exchanges.value = [...exchanges.value, { seq, at: Date.now(), direction, message }].slice(-KEPT)
  }

  function record<T extends Transport>(transport: T): T {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => {
      for (const each of Array.isArray(message) ? message : [message]) note('sent', each)
      return send(message, options)
    }
    let handler: Transport['onmessage']
    Object.defineProperty(transport, 'onmessage', {
      get: () => handler,
      set(next: Transport['onmessage']) {
        handler =
          next &&
          ((message, extra) => {
            note('received', message)
            next(message, extra)
          })
      },
    })
    return transport
  }

  return { exchanges, record }
}

/**
 * The messages of one call of a tool, among all of them: its requests (a question makes two of one), what was answered, and its progress.
 *
 * @param since the number of the last message before the call
 */
export function findCall(all: readonly SeenMessage[], name: string, since: number): SeenMessage[] {
  const ids = new Set<unknown>()
  return all.filter(({ seq, message }) => {
    if (seq <= since) return false
    const { id, method, params } = message as { id?: unknown; method?: string; params?: Record<string, unknown> }
    if (method === 'tools/call' && params?.['name'] === name) return ids.add(id)
    if (method === undefined) return ids.has(id)
    return ids.has(params?.['progressToken']) || ids.has(params?.['requestId'])
  })
}

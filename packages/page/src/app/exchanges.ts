import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { type Signal, signal } from '@preact/signals'

/** One JSON-RPC message. */
export interface Exchange {
  readonly at: number
  readonly direction: 'sent' | 'received'
  readonly message: JSONRPCMessage
}

/** So many of the last are kept. */
const KEPT = 200

export interface Recorder {
  readonly exchanges: Signal<readonly Exchange[]>
  /** Makes a transport tell of each message. */
  record<T extends Transport>(transport: T): T
}

export function createRecorder(): Recorder {
  const exchanges = signal<readonly Exchange[]>([])

  function note(direction: Exchange['direction'], message: JSONRPCMessage): void {
    exchanges.value = [...exchanges.value, { at: Date.now(), direction, message }].slice(-KEPT)
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

import { WebSocket } from 'ws'
import { createInbox, type Inbox } from './inbox.ts'

/** A message as it came in. */
export type SocketMessage = { readonly text: string } | { readonly bytes: Buffer }

/** A WebSocket connection to the engine, of a worker or to a channel. */
export interface SocketConnection {
  readonly inbox: Inbox<SocketMessage>
  /** As the client sees it: 1006 without a close frame. */
  readonly closeCode: number | undefined
  send(data: string | Buffer): void
  close(): void
  terminate(): void
}

/** Opens a connection. @returns the status of the answer when it is no upgrade. */
export function openConnection(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<SocketConnection | number> {
  const socket = new WebSocket(url, { headers, perMessageDeflate: false, maxPayload: 2 ** 28 })
  const inbox = createInbox<SocketMessage>()
  let closeCode: number | undefined
  socket.on('message', (data, binary) => inbox.push(binary ? { bytes: data as Buffer } : { text: String(data) }))
  socket.on('close', (code) => {
    closeCode = code
    inbox.end()
  })
  socket.on('error', () => {})
  const connection: SocketConnection = {
    inbox,
    get closeCode() {
      return closeCode
    },
    send: (data) => socket.send(data),
    close: () => socket.close(),
    terminate: () => socket.terminate(),
  }
  return new Promise((resolve) => {
    socket.on('open', () => resolve(connection))
    socket.on('close', () => resolve(0))
    socket.on('unexpected-response', (_request, response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
  })
}

import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { toStateless } from '../../stateless.ts'
import type { SoakFault } from '../fault.ts'

const READERS = 20
const LASTS_MS = 15_000

/** Clients that ask for a long list and read nothing of it, over HTTP and stdio. */
export const slowReaders: SoakFault = {
  name: 'twenty clients that do not read, and one on stdio',
  async strike({ stage }) {
    const sockets = Array.from({ length: READERS }, () => openSlowly(stage.mcpUrl))
    try {
      await stage.seat.withoutReading(() => pause(LASTS_MS))
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  },
}

function openSlowly(url: string): Socket {
  const { hostname, port, pathname } = new URL(url)
  const { headers, params } = toStateless('resources/list')
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/list', params })
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...Object.entries(headers).map((header) => header.join(': ')),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ].join('\r\n')
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.pause()
  socket.write(`${head}\r\n\r\n${body}`.repeat(5))
  return socket
}

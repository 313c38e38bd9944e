import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { toPieces } from './outgoing.ts'
import { toTextFrames } from './text-frames.ts'

describe('messages of a client', () => {
  const TEXTS = ['', 'e', 'é€😀', ...[125, 126, 65_535, 65_536].map((length) => 'e'.repeat(length))]

  it.each([
    ['masks of zeros', false],
    ['random masks', true],
  ])('are what a server reads, with %s', async (_, isMasked) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    try {
      const heard: string[] = []
      const all = new Promise<void>((resolve) => {
        server.on('connection', (socket) =>
          socket.on('message', (data: Buffer) => {
            if (heard.push(data.toString()) === 2 * TEXTS.length) resolve()
          }),
        )
      })
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n')
      socket.write('sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n')
      await once(socket, 'data')
      const messages = TEXTS.flatMap((text) => [
        text,
        toPieces([Buffer.from(text), Buffer.from(''), Buffer.from(text)]),
      ])
      for (const part of toTextFrames(messages, isMasked)) socket.write(part, 'latin1')
      await all
      expect(heard).toEqual(TEXTS.flatMap((text) => [text, text + text]))
      socket.destroy()
    } finally {
      for (const client of server.clients) client.terminate()
      server.close()
    }
  })
})

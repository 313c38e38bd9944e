import type { WebSocket } from 'ws'
import type { Channel, ChannelSide } from './channels.ts'

/** Joins a socket to its side of a channel. A side that is taken already is closed at once. */
export function attachChannelSocket(socket: WebSocket, channel: Channel, side: ChannelSide): void {
  socket.on('error', () => {})
  if (!channel.claim(side)) socket.close()
  else if (side === 'write') attachWriter(socket, channel)
  else attachReader(socket, channel)
}

function attachWriter(socket: WebSocket, { pipe }: Channel): void {
  pipe.setSource({
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    cut: () => socket.terminate(),
  })
  socket.on('message', (data, binary) => pipe.write({ data: data as Buffer, binary }))
  socket.on('ping', (data) => socket.pong(data))
  socket.on('close', () => pipe.end())
}

/** The engine never reads from the read side: no pong, no close handshake; only a failing write shows that it is gone. */
function attachReader(socket: WebSocket, { pipe, deafReader }: Channel): void {
  if (deafReader) socket.pause()
  else socket.on('ping', (data) => socket.pong(data))
  socket.on('close', () => pipe.abandon())
  pipe.setSink({
    send: ({ data, binary }, done) => socket.send(data, { binary }, (error) => done(!error)),
    end() {
      socket.resume()
      socket.close()
    },
  })
}

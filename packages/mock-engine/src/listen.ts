import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A port that the engine was told to use is in use by another process. */
export class PortTakenError extends Error {
  override name = 'PortTakenError'
  readonly port: number
  /** Which of the engine's ports it is. */
  readonly use: 'bus' | 'http' | 'restricted bus'

  constructor(port: number, use: PortTakenError['use'], options?: ErrorOptions) {
    super(`port ${port} for the engine's ${use === 'http' ? 'HTTP side' : use} is taken by another process`, options)
    this.port = port
    this.use = use
  }
}

/** A server that listens and can be stopped at once. */
export interface Listening {
  readonly port: number
  /** Stops listening and cuts every connection. */
  stop(): Promise<void>
}

/** Listens on a port, 0 for any free one. @throws {@link PortTakenError} */
export function listen(server: Server, port: number, host: string, use: PortTakenError['use']): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortTakenError(port, use, { cause: error }) : error)
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      const address = server.address() as AddressInfo
      resolve({ port: address.port, stop: () => stop(server, sockets) })
    })
  })
}

function stop(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    for (const socket of sockets) socket.destroy()
  })
}

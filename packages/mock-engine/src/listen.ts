import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A port that the engine was told to use is in use by another process. */
export class PortTakenError extends Error {
  override name = 'PortTakenError'
  readonly port: number
  /** Which of the engine's ports it is. */
  readonly use: 'bus' | 'http' | 'restricted bus'

  constructor(port: number, use: PortTakenError['use'], options?: ErrorOptions) {
    super(`port ${port} for the engine's ${nameOf(use)} is taken by another process`, options)
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

/** Listens on a port, 0 for any free one. @throws {@link PortTakenError}, or an Error that says what else is in the way. */
export function listen(server: Server, port: number, host: string, use: PortTakenError['use']): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(toListenError(error, port, host, use))
    server.once('error', fail)
    // By their names: a port that is no number would be the path of a socket.
    server.listen({ port, host }, () => {
      server.off('error', fail)
      const address = server.address() as AddressInfo
      resolve({ port: address.port, stop: () => stop(server, sockets) })
    })
  })
}

/** Turns what the system said into what a person can act on. */
export function toListenError(
  error: NodeJS.ErrnoException,
  port: number,
  host: string,
  use: PortTakenError['use'],
): Error {
  const { code = '' } = error
  const options = { cause: error }
  if (code === 'EADDRINUSE') return new PortTakenError(port, use, options)
  if (code === 'EACCES' || code === 'EPERM') {
    const why = port < 1024 ? 'ports below 1024 need administrator rights' : 'the system does not allow it'
    return new Error(`port ${port} for the engine's ${nameOf(use)} is not open to this user: ${why}`, options)
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new Error(`this machine has no address ${host} to listen on`, options)
  }
  return error
}

function nameOf(use: PortTakenError['use']): string {
  return use === 'http' ? 'HTTP side' : use
}

function stop(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    for (const socket of sockets) socket.destroy()
  })
}

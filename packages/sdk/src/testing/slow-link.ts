import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a port of this machine over which bytes pass slowly, in both directions. */
export interface SlowLink extends AsyncDisposable {
  readonly port: number
}

/** @param bytesPerMs of each direction of a connection */
export async function startSlowLink(port: number, bytesPerMs: number): Promise<SlowLink> {
  const sockets: Socket[] = []
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    sockets.push(near, far)
    pass(near, far)
    pass(far, near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  function pass(from: Socket, to: Socket): void {
    from.on('error', () => undefined)
    from.on('close', () => to.destroy())
    from.on('data', (bytes) => {
      to.write(bytes)
      from.pause()
      setTimeout(() => from.resume(), bytes.length / bytesPerMs)
    })
  }

  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to an engine that can go dead: nothing passes any more, and neither end is told. */
export interface Cable extends AsyncDisposable {
  readonly url: string
  /** Passes nothing on, as a cable that was pulled. */
  swallow(): void
  /** Passes everything on again, what came meanwhile first. */
  pass(): void
  /** Breaks what is connected; both ends are told, and may connect anew. */
  cut(): void
}

export async function startCable(target: string): Promise<Cable> {
  const { hostname, port } = new URL(target)
  const pairs: [Socket, Socket][] = []
  let isDead = false
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    pairs.push([near, far])
    join(near, far)
    join(far, near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  function join(from: Socket, to: Socket): void {
    from.on('data', (bytes) => void to.write(bytes))
    from.on('error', () => undefined)
    // A side that ends while the cable is out ends unseen.
    from.on('close', () => !isDead && to.destroy())
    if (isDead) from.pause()
  }

  function each(act: (socket: Socket) => void): void {
    for (const socket of pairs.flat()) act(socket)
  }

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallow() {
      isDead = true
      each((socket) => socket.pause())
    },
    pass() {
      isDead = false
      each((socket) => socket.resume())
    },
    cut: () => each((socket) => socket.destroy()),
    async [Symbol.asyncDispose]() {
      each((socket) => socket.destroy())
      server.close()
      await once(server, 'close')
    },
  }
}

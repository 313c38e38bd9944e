import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** A way to an engine that lets one connection pass, and refuses every other. */
export async function startSingleConnection(target: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const { hostname, port } = new URL(target)
  const server = createServer((near) => {
    server.close()
    const far = connect(Number(port), hostname)
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

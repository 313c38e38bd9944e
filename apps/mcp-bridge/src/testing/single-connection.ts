import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to an engine that lets one connection pass, and refuses every other, or says nothing to it. */
export async function startSingleConnection(
  target: string,
  others: 'refused' | 'unanswered' = 'refused',
): Promise<{ readonly url: string } & AsyncDisposable> {
  const { hostname, port } = new URL(target)
  const unanswered: Socket[] = []
  let isFirst = true
  const server = createServer((near) => {
    if (!isFirst) return void unanswered.push(near.on('error', () => undefined))
    isFirst = false
    if (others === 'refused') server.close()
    const far = connect(Number(port), hostname)
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of unanswered) socket.destroy()
    },
  }
}

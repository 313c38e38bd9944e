import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { isTaken } from './ports.ts'

async function listen(host: string) {
  const server = createServer((socket) => socket.destroy()).listen(0, host)
  await once(server, 'listening')
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { port: (server.address() as AddressInfo).port, close, [Symbol.asyncDispose]: close }
}

describe('a port', () => {
  it.each(['127.0.0.1', '0.0.0.0'])('is taken while somebody listens on %s, and free afterwards', async (host) => {
    await using server = await listen(host)
    await expect(isTaken(server.port)).resolves.toBe(true)
    await server.close()
    await expect(isTaken(server.port)).resolves.toBe(false)
  })

  it('that means any free one is never taken', async () => {
    await expect(isTaken(0)).resolves.toBe(false)
  })
})

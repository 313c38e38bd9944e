import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import type { DoctorContext, DoctorSession } from './context.ts'
import { createNamespaceCheck } from './namespace-check.ts'

it('looks no longer at something that takes a connection and says nothing', async () => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const taken = once(server, 'connection')
  const engine = async () => ({
    workerId: 'own',
    trigger: async () => ({ workers: [{ id: 'own', namespace: 'default' }] }),
  })
  const said = { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, namespace: undefined }
  const context = { session: { said }, engine } as unknown as DoctorContext<Pick<DoctorSession, 'said'>>
  const found = await createNamespaceCheck().run(context)
  expect(found).toMatchObject({ verdict: 'ok', summary: "it lives in the namespace 'default'" })
  // With a socket that is still there the process of a command does not end.
  const [socket] = await taken
  socket.resume()
  await once(socket, 'close')
  server.close()
})

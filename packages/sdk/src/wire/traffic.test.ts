import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it, vi } from 'vitest'
import { watchTraffic } from './traffic.ts'

const MORE_THAN_BUFFERS_HOLD = Buffer.alloc(64 * 1024 * 1024)

it('traffic tells of bytes that come, and of a long write that the network takes bit by bit', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [far] = await accepted
  const traffic = watchTraffic(near)
  expect(traffic()).toEqual({ hasLeft: false, hasCome: false })

  far.write('hello')
  await once(near, 'data')
  expect(traffic()).toEqual({ hasLeft: false, hasCome: true })
  expect(traffic()).toEqual({ hasLeft: false, hasCome: false })

  near.write('ping')
  expect(traffic()).toEqual({ hasLeft: false, hasCome: false })
  near.write(MORE_THAN_BUFFERS_HOLD)
  await vi.waitFor(() => expect(traffic()).toMatchObject({ hasLeft: false }))
  // What waits behind it moves nothing, be it much or little.
  for (const message of ['ping', MORE_THAN_BUFFERS_HOLD]) {
    near.write(message)
    expect(traffic()).toEqual({ hasLeft: false, hasCome: false })
  }
  far.resume()
  await vi.waitFor(() => expect(traffic()).toMatchObject({ hasLeft: true }))

  near.destroy()
  far.destroy()
  server.close()
})

it('traffic that nobody can tell of is none', () => {
  expect(watchTraffic(undefined)()).toEqual({ hasLeft: false, hasCome: false })
})

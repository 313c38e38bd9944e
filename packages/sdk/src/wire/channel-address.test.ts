import { once } from 'node:events'

import { describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'

import { registerWorker } from '../worker/register-worker.ts'
import type { ChannelRef } from './channel.ts'

const ref = (direction: ChannelRef['direction']): ChannelRef => ({ channel_id: 'c 1', access_key: 'k&=', direction })

describe('the address of a channel', () => {
  it.each([
    ['', '/ws/channels/c%201?key=k%26%3D&dir=write'],
    ['/base/?token=secret', '/base/ws/channels/c%201?key=k%26%3D&dir=write'],
  ])('is below that of the engine: ws://…%s', async (rest, path) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    const address = server.address() as { port: number }
    const connected = once(server, 'connection')
    const worker = registerWorker(`ws://127.0.0.1:${address.port}${rest}`)
    const writer = worker.openChannelWriter(ref('write'))
    const urls = new Set<string>()
    server.on('connection', (_, request) => urls.add(request.url ?? ''))
    await connected
    await expect.poll(() => [...urls]).toContain(path)
    writer.terminate()
    await worker.shutdown()
    server.close()
  })
})

import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { startMockStage } from '../testing/mock-stage.ts'

import type { ChannelRef } from './channel.ts'
import { createChannelReader } from './channel-reader.ts'
import { type ChannelWriter, createChannelWriter } from './channel-writer.ts'

const ref = (direction: ChannelRef['direction']): ChannelRef => ({ channel_id: 'c 1', access_key: 'k&=', direction })

describe('a channel', () => {
  it('brings bytes and messages over in order and ends when the writer does', async () => {
    await using stage = await startMockStage(startMockEngine)
    const { writer, reader } = await (await stage.connect()).createChannel()
    const big = Buffer.alloc(2_500_000, 'x')
    const writing = [
      writer.write('hello'),
      writer.sendMessage({ type: 'set_status' }),
      writer.write(big),
      writer.close(),
    ]
    const items: (Buffer | string)[] = []
    for await (const item of reader) items.push(item)
    await Promise.all(writing)
    expect(items.slice(0, 2)).toEqual([Buffer.from('hello'), '{"type":"set_status"}'])
    const bytes = Buffer.concat(items.filter((item) => typeof item !== 'string'))
    expect(bytes.equals(Buffer.concat([Buffer.from('hello'), big]))).toBe(true)
    expect(writer.isOpen).toBe(false)
    await writer.closed
    await expect(writer.write('more')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The channel has been closed',
    })
  })

  it.each([
    [
      'openChannelReader',
      undefined,
      'takes the ref of a channel, such as request_body of an HTTP request, not undefined',
    ],
    ['openChannelReader', ref('write'), 'not a ref of the other end'],
    ['openChannelWriter', { channel_id: 'c' }, 'such as response of an HTTP request, not an object'],
  ] as const)('is not opened by %s(%o)', async (open, given, says) => {
    await using stage = await startMockStage(startMockEngine)
    const worker = await stage.connect()
    expect(() => worker[open](given as never)).toThrow(says)
  })

  it('takes its turn where many writers connect at once, and all of them do', async () => {
    const server = createServer()
    const waiting: (() => void)[] = []
    const clients: Duplex[] = []
    const sockets = new WebSocketServer({ noServer: true })
    server.on('upgrade', (request, socket, head) => {
      clients.push(socket)
      waiting.push(() => sockets.handleUpgrade(request, socket, head, () => undefined))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
    const writers = Array.from({ length: 40 }, () => createChannelWriter(url))
    const written = Promise.all(writers.map((writer) => writer.write('x')))
    let most = 0
    for (let done = 0; done < writers.length; done++) {
      await vi.waitUntil(() => waiting.length >= Math.min(16, writers.length - done))
      most = Math.max(most, waiting.length)
      waiting.shift()?.()
    }
    await written
    for (const writer of writers) writer.terminate()
    for (const client of clients) client.destroy()
    server.close()
    expect(most).toBe(16)
  })

  it('is read at once, up to a limit', async () => {
    await using stage = await startMockStage(startMockEngine)
    const worker = await stage.connect()
    for (const maxBytes of [10, 9]) {
      const { writer, readerRef, writerRef } = await worker.createChannel(4)
      expect([readerRef.direction, writerRef.direction]).toEqual(['read', 'write'])
      const reader = worker.openChannelReader(readerRef)
      await writer.write('0123456789')
      const closing = writer.close()
      const reading = reader.readAll({ maxBytes })
      if (maxBytes === 10) expect((await reading).toString()).toBe('0123456789')
      else await expect(reading).rejects.toMatchObject({ code: 'too_large' })
      await closing
    }
  })

  it('waits at its end for a slow reader as long as it is told', async () => {
    await using stage = await startMockStage(startMockEngine)
    const { writer, reader } = await (await stage.connect()).createChannel(1)
    const bytes = Buffer.alloc(200_000, 'x')
    for (let n = 0; n < 4; n++) await writer.write(bytes)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const closing = writer.close(20_000)
    await vi.advanceTimersByTimeAsync(19_000)
    vi.useRealTimers()
    expect((await reader.readAll()).length).toBe(800_000)
    await closing
  })

  it('is not cut at its end while what was written goes out, however long that takes', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    const joined = once(server, 'connection') as Promise<[WebSocket, IncomingMessage]>
    const writer = createChannelWriter(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const [peer, { socket }] = await joined
    const heard = once(peer, 'message')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const writing = writer.sendMessage('x'.repeat(32 * 1024 * 1024))
    const closing = writer.close(1_000)
    while (socket.bytesRead < 32 * 1024 * 1024) {
      socket.resume()
      await once(socket, 'data')
      socket.pause()
      await vi.advanceTimersByTimeAsync(20)
    }
    vi.useRealTimers()
    socket.resume()
    await Promise.all([heard, writing, closing])
    server.close()
  })

  it('is cut at its end where what was written does not go out', async () => {
    await using stage = await startMockStage(startMockEngine)
    const { writer, reader } = await (await stage.connect()).createChannel(1)
    const writing = writer.write(Buffer.alloc(32 * 1024 * 1024))
    const closing = writer.close(50)
    await expect(writing).rejects.toMatchObject({ code: 'unavailable', message: 'The channel has been closed' })
    await closing
    reader.terminate()
  })

  it('is written by whoever was sent its ref, while its maker reads', async () => {
    await using stage = await startMockStage(startMockEngine)
    const [maker, other] = [await stage.connect(), await stage.connect()]
    const { writer, reader, writerRef } = await maker.createChannel()
    expect(writer.isOpen).toBe(true)
    const theirs = other.openChannelWriter(writerRef)
    const reading = reader.readAll()
    await theirs.write('tea')
    await theirs.close()
    expect((await reading).toString()).toBe('tea')
  })

  it.each<[string, (writer: ChannelWriter) => void]>([
    ['has not been used', () => undefined],
    ['is being connected', (writer) => void writer.write('tea').catch(() => undefined)],
  ])('that is cut while its writer %s does not leave its reader waiting', async (_, use) => {
    await using stage = await startMockStage(startMockEngine)
    const [maker, other] = [await stage.connect(), await stage.connect()]
    const { writer, readerRef } = await maker.createChannel()
    const reading = other.openChannelReader(readerRef).readAll()
    use(writer)
    writer.terminate()
    expect(writer.isOpen).toBe(false)
    await writer.closed
    await reading
  })

  it('can be read once only', async () => {
    await using stage = await startMockStage(startMockEngine)
    const { writer, reader } = await (await stage.connect()).createChannel()
    const closing = writer.close()
    expect((await reader.readAll()).length).toBe(0)
    await expect(reader.readAll()).rejects.toMatchObject({ code: 'conflict' })
    await closing
  })

  it('that is cut before its end is not taken for a whole', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    server.on('connection', (socket) => socket.send(Buffer.from('half'), () => socket.terminate()))
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
    const cut = { code: 'unavailable', message: 'The channel was cut before its end' }
    await expect(createChannelReader(url).readAll()).rejects.toMatchObject(cut)
    const items = createChannelReader(url)[Symbol.asyncIterator]()
    expect(await items.next()).toEqual({ done: false, value: Buffer.from('half') })
    await expect(items.next()).rejects.toMatchObject(cut)
    server.close()
  })

  it('that its reader leaves has not been read to its end', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    const joined = once(server, 'connection')
    const reader = createChannelReader(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const reading = reader.readAll()
    await joined
    reader.terminate()
    await expect(reading).rejects.toMatchObject({ code: 'unavailable', message: 'The channel was left before its end' })
    server.close()
  })

  it('that nobody knows fails the write and the read, and nothing else', async () => {
    await using stage = await startMockStage(startMockEngine)
    const worker = await stage.connect()
    const writer = worker.openChannelWriter(ref('write'))
    await expect(writer.opened).rejects.toMatchObject({ code: 'not_found' })
    await expect(writer.write('x')).rejects.toThrow(/or one of its ends was not opened within five minutes/)
    await writer.close()
    await expect(worker.openChannelReader(ref('read')).readAll()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('404'),
    })
  })

  it('that cannot be opened says why, also to who writes nothing', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    const refused = createChannelWriter(`ws://127.0.0.1:${port}`)
    const message = `The channel cannot be opened: connect ECONNREFUSED 127.0.0.1:${port}`
    await expect(refused.opened).rejects.toMatchObject({ code: 'unavailable', message })
    await refused.close()
    await using stage = await startMockStage(startMockEngine)
    const { writer } = await (await stage.connect()).createChannel()
    await writer.opened
    writer.terminate()
  })

  it('whose connection is not answered is given up within ten seconds, also while it waits for its turn', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const clients: Socket[] = []
    const silent = createTcpServer((client) => void clients.push(client)).listen(0, '127.0.0.1')
    try {
      await once(silent, 'listening')
      const { port } = silent.address() as AddressInfo
      const writers = Array.from({ length: 40 }, () => createChannelWriter(`ws://127.0.0.1:${port}`))
      const ends = Promise.allSettled(writers.map(({ opened }) => opened))
      await vi.advanceTimersByTimeAsync(10_000)
      const message = 'The channel cannot be opened: it did not stand within 10000 ms'
      const reason: unknown = expect.objectContaining({ code: 'unavailable', message })
      expect(await ends).toEqual(writers.map(() => ({ status: 'rejected', reason })))
    } finally {
      vi.useRealTimers()
      for (const client of clients) client.destroy()
      silent.close()
    }
  })

  it('holds the writer back while nobody reads', async () => {
    await using stage = await startMockStage(startMockEngine)
    const { writer, reader } = await (await stage.connect()).createChannel(1)
    const chunk = Buffer.alloc(1024 * 1024)
    let written = 0
    const writing = (async () => {
      for (; written < 100; written++) await writer.write(chunk)
      await writer.close()
    })()
    const first = await reader[Symbol.asyncIterator]().next()
    expect(first.done).toBe(false)
    expect(written).toBeLessThan(100)
    reader.terminate()
    await expect(writing).rejects.toMatchObject({ code: 'unavailable' })
    await writer.closed
  })
})

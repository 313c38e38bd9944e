import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { connectRaw } from '../testing/raw-worker.ts'

const MIB = 1024 * 1024

describe('a bus port', () => {
  let engine: MockEngine
  beforeEach(async () => {
    engine = await startMockEngine()
  })
  afterEach(() => engine.close())

  /** Sends telemetry, which nobody answers, in pieces. */
  function sendInPieces(socket: WebSocket, pieces: number, size: number): void {
    for (let i = 0; i < pieces; i++) {
      const piece = Buffer.alloc(size)
      if (i === 0) piece.write('OTLP')
      socket.send(piece, { binary: true, fin: i === pieces - 1 })
    }
  }

  it('takes a message of 60 MiB whose frames have 15 each, and none of 65', async () => {
    using worker = await connectRaw(engine.url)
    sendInPieces(worker.socket, 4, 15 * MIB)
    await worker.sync()
    sendInPieces(worker.socket, 5, 13 * MIB)
    expect(await worker.closed).toBe(1006)
  })

  it('cuts a connection whose frame has more than 16 MiB, on a channel too', async () => {
    using worker = await connectRaw(engine.url)
    const { result } = await worker.call('engine::channels::create')
    const { channel_id, access_key } = (result as { writer: { channel_id: string; access_key: string } }).writer
    const writer = new WebSocket(`${engine.url}/ws/channels/${channel_id}?key=${access_key}&dir=write`)
    writer.on('error', () => {})
    await once(writer, 'open')
    sendInPieces(writer, 2, 16 * MIB + 1)
    expect((await once(writer, 'close'))[0]).toBe(1006)
    sendInPieces(worker.socket, 2, 16 * MIB + 1)
    expect(await worker.closed).toBe(1006)
  })

  it.each([undefined, 1000, 4000])(
    'ends a connection without an answer to a Close of it, with code %s',
    async (code) => {
      using worker = await connectRaw(engine.url)
      worker.socket.close(code)
      expect(await worker.closed).toBe(1006)
    },
  )

  it('sends nothing more to a connection whose place is taken, not even that its own bindings are gone', async () => {
    using old = await connectRaw(engine.url)
    old.send(
      { type: 'registertriggertype', id: 'own', description: '' },
      { type: 'registertrigger', id: 'b', trigger_type: 'own', function_id: 'f', config: {} },
    )
    await old.frame(({ type }) => type === 'registertrigger')
    const { worker_id, reattach_token } = await old.frame(({ type }) => type === 'workerregistered')
    const seen = old.frames.length
    using young = await connectRaw(engine.url)
    young.send({ type: 'reattach', previous_worker_id: worker_id, reattach_token })
    expect(await old.closed).toBe(1006)
    expect(old.frames.slice(seen)).toEqual([])
  })

  it('refuses the address of a channel that says its key or its side twice', async () => {
    using worker = await connectRaw(engine.url)
    const { result } = await worker.call('engine::channels::create')
    const { channel_id, access_key } = (result as { writer: { channel_id: string; access_key: string } }).writer
    for (const twice of ['dir=write&dir=write', `dir=write&key=${access_key}`]) {
      const writer = new WebSocket(`${engine.url}/ws/channels/${channel_id}?key=${access_key}&${twice}`)
      await expect(once(writer, 'open')).rejects.toThrow('400')
    }
  })

  // Measured on 0.22.1 and 0.23.0-rc.4.
  it.each(['/', '/otel'])('takes no subprotocol that is offered on %s', async (path) => {
    const socket = new WebSocket(engine.url + path, ['p'])
    await expect(once(socket, 'open')).rejects.toThrow('Server sent no subprotocol')
  })

  // Measured on 0.22.1.
  it.each([
    ['GET /', '', '400', "Connection header did not include 'upgrade'"],
    ['GET /otel', '', '400', "Connection header did not include 'upgrade'"],
    ['HEAD /', '', '405', ''],
    ['POST /', '', '405', ''],
    ['OPTIONS /', '', '405', ''],
    ['POST /ws/channels/x', '', '405', ''],
    ['GET /x', '', '404', ''],
    ['PUT /x', '', '404', ''],
    ['GET /ws/channels/x', '', '400', 'Failed to deserialize query string: missing field `key`'],
    ['GET /ws/channels/x??key=a&dir=read', '', '400', 'Failed to deserialize query string: missing field `key`'],
    ['GET /ws/channels/x?key=a', 'wanted', '400', 'Failed to deserialize query string: missing field `dir`'],
    [
      'GET /ws/channels/x?dir=read&dir=read',
      'wanted',
      '400',
      'Failed to deserialize query string: duplicate field `dir`',
    ],
    [
      'GET /ws/channels/x?dir=up',
      'wanted',
      '400',
      'Failed to deserialize query string: dir: unknown variant `up`, expected `read` or `write`',
    ],
    ['GET /ws/channels/x?key=a&dir=read', '', '400', "Connection header did not include 'upgrade'"],
    ['GET /ws/channels/x?key=a&dir=read', 'wanted', '404', 'Channel not found'],
    ['HEAD /', 'wanted', '405', ''],
    ['POST /', 'wanted', '405', ''],
    ['GET /', 'upgrade: h2c', '400', "`Upgrade` header did not include 'websocket'"],
    ['GET /', 'version: 8', '400', "`Sec-WebSocket-Version` header did not include '13'"],
    ['GET /', 'no key', '400', '`Sec-WebSocket-Key` header missing'],
  ])('answers %s (%s) with %s %j', async (line, said, status, text) => {
    const upgrade = [
      'connection: Upgrade',
      said === 'upgrade: h2c' ? said : 'upgrade: websocket',
      `sec-websocket-version: ${said === 'version: 8' ? 8 : 13}`,
      ...(said === 'no key' ? [] : ['sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==']),
    ]
    const client = connect(engine.port, '127.0.0.1')
    client.write(`${[`${line} HTTP/1.1`, 'host: x', ...(said === '' ? [] : upgrade)].join('\r\n')}\r\n\r\n`)
    const [head = '', body] = String((await once(client, 'data'))[0]).split('\r\n\r\n')
    client.destroy()
    expect([head.slice(9, 12), body]).toEqual([status, text])
    expect(head).not.toContain('keep-alive')
    if (status === '405' && !line.startsWith('HEAD')) expect(head).toContain('allow: GET,HEAD')
  })

  it('answers a WebSocket ping of a worker twice, of the writer of a channel once', async () => {
    using worker = await connectRaw(engine.url)
    const { result } = await worker.call('engine::channels::create')
    const { channel_id, access_key } = (result as { writer: { channel_id: string; access_key: string } }).writer
    const writer = new WebSocket(`${engine.url}/ws/channels/${channel_id}?key=${access_key}&dir=write`)
    await once(writer, 'open')
    const pongs = { worker: 0, writer: 0 }
    worker.socket.on('pong', () => pongs.worker++)
    writer.on('pong', () => pongs.writer++)
    worker.socket.ping()
    writer.ping('first')
    await once(writer, 'pong')
    await worker.sync()
    writer.ping('second')
    expect(String((await once(writer, 'pong'))[0])).toBe('second')
    expect(pongs).toEqual({ worker: 2, writer: 2 })
    writer.terminate()
  })
})

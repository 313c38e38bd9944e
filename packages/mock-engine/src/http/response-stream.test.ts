import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { connectRaw, type RawWorker } from '../testing/raw-worker.ts'

type Written = Buffer | object

describe('a response that is streamed', () => {
  let engine: MockEngine
  let worker: RawWorker

  beforeEach(async () => {
    engine = await startMockEngine()
    worker = await connectRaw(engine.url)
    worker.send({ type: 'registerfunction', id: 'web::f' })
    for (const http_method of ['GET', 'HEAD']) {
      const config = { api_path: 'f', http_method }
      worker.send({ type: 'registertrigger', id: http_method, trigger_type: 'http', function_id: 'web::f', config })
    }
    await worker.sync()
  })
  afterEach(async () => {
    worker.socket.terminate()
    await engine.close()
  })

  /** What a client reads, and the code that the writer is closed with. */
  async function stream(method: string, written: readonly Written[]): Promise<{ text: string; code: number }> {
    const client = connect(engine.httpPort, '127.0.0.1')
    const pieces: Buffer[] = []
    client.on('data', (piece) => pieces.push(piece))
    client.write(`${method} /f HTTP/1.1\r\nconnection: close\r\n\r\n`)
    const { data } = await worker.frame(({ type }) => type === 'invokefunction')
    const { channel_id, access_key } = (data as { response: { channel_id: string; access_key: string } }).response
    const writer = new WebSocket(`${engine.url}/ws/channels/${channel_id}?key=${access_key}&dir=write`)
    const closed = once(writer, 'close')
    await once(writer, 'open')
    for (const one of written) writer.send(Buffer.isBuffer(one) ? one : JSON.stringify(one))
    if (method !== 'HEAD') writer.close()
    await once(client, 'close')
    const [code] = (await closed) as [number]
    return { text: Buffer.concat(pieces).toString('latin1'), code }
  }

  const headers = (given: object) => ({ type: 'set_headers', headers: given })

  it('has what was said of a header in another spelling beside it, and what was said again in its place', async () => {
    const said = [headers({ 'x-a': '1', 'x-b': '1' }), headers({ 'X-A': '2', 'x-b': '2' }), headers({ 'x-b': 5 })]
    const { text } = await stream('GET', [...said, Buffer.from('body')])
    expect(text.match(/^x-.*$/gm)?.sort()).toEqual(['x-a: 1', 'x-a: 2', 'x-b: 2'])
  })

  // Measured on 0.22.1 and 0.23.0-rc.4.
  it('begins with an empty item, and takes no status and no return value behind it', async () => {
    const client = connect(engine.httpPort, '127.0.0.1')
    client.write('GET /f HTTP/1.1\r\nconnection: close\r\n\r\n')
    const call = await worker.frame(({ type }) => type === 'invokefunction')
    const { channel_id, access_key } = (call['data'] as { response: { channel_id: string; access_key: string } })
      .response
    const writer = new WebSocket(`${engine.url}/ws/channels/${channel_id}?key=${access_key}&dir=write`)
    await once(writer, 'open')
    writer.send(Buffer.alloc(0))
    expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /)
    const { invocation_id, function_id } = call
    worker.send({ type: 'invocationresult', invocation_id, function_id, result: { status_code: 418 } })
    await worker.sync()
    writer.send('{"type":"set_status","status_code":404}')
    writer.send(Buffer.from('body'))
    writer.close()
    expect(String((await once(client, 'data'))[0])).toContain('4\r\nbody\r\n')
    await once(client, 'close')
  })

  it('is cut to the length that its handler tells', async () => {
    const { text } = await stream('GET', [headers({ 'content-length': '2' }), Buffer.from('abc')])
    expect(text).toMatch(/\r\n\r\nab$/)
  })

  it('may say that it is chunked, which it is', async () => {
    const { text } = await stream('GET', [headers({ 'transfer-encoding': 'chunked' }), Buffer.from('abc')])
    expect(text).toMatch(/\r\n\r\n3\r\nabc\r\n0\r\n\r\n$/)
  })

  it('has no body for who asks for its head, and its writer is cut', async () => {
    const { text, code } = await stream('HEAD', [Buffer.from('abc')])
    expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/)
    expect(code).toBe(1006)
  })
})

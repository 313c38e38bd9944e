import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type MockEngine, startMockEngine } from '../engine.ts'

interface Call {
  readonly invocation_id: string
  readonly function_id: string
  readonly data: Record<string, unknown>
}

describe('the HTTP port', () => {
  let engine: MockEngine
  let worker: WebSocket
  const clients: Socket[] = []
  let handle: (call: Call) => unknown = () => ({ body: 'ok' })

  beforeEach(async () => {
    engine = await startMockEngine()
    worker = new WebSocket(engine.url)
    handle = () => ({ body: 'ok' })
    worker.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Call & { type: string }
      if (frame.type !== 'invokefunction') return
      const { invocation_id, function_id } = frame
      const result = handle(frame)
      worker.send(JSON.stringify({ type: 'invocationresult', invocation_id, function_id, result }))
    })
    await new Promise((resolve) => worker.on('open', resolve))
    worker.send('{"type":"registerfunction","id":"web::f"}')
    for (const method of ['GET', 'POST']) {
      const config = { api_path: 'f', http_method: method }
      worker.send(
        JSON.stringify({ type: 'registertrigger', id: method, trigger_type: 'http', function_id: 'web::f', config }),
      )
    }
    await vi.waitFor(async () => expect((await fetch(`${engine.httpUrl}/f`)).status).toBe(200))
  })

  afterEach(async () => {
    worker.terminate()
    for (const client of clients.splice(0)) client.destroy()
    await engine.close()
  })

  /** Sends raw bytes; resolves once the answer matches. */
  async function raw(bytes: string | Buffer, until: RegExp): Promise<string> {
    const client = connect(engine.httpPort, '127.0.0.1')
    clients.push(client)
    client.on('error', () => {})
    client.write(bytes)
    let text = ''
    client.on('data', (data) => {
      text += data.toString('latin1')
    })
    await vi.waitFor(() => expect(text).toMatch(until), { timeout: 3000 })
    return text
  }

  it('answers requests that were sent at once in their order', async () => {
    const text = await raw(
      'GET /f HTTP/1.1\r\nhost: x\r\n\r\nGET /none HTTP/1.1\r\nhost: x\r\n\r\n',
      /200 OK[\s\S]*404 Not Found/,
    )
    expect(text).toContain('"ok"')
  })

  it('takes the next request although nobody read the body of the last one', async () => {
    const body = 'x'.repeat(4 * 1024 * 1024)
    const head = `POST /f HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n`
    await raw(`${head}${body}GET /none HTTP/1.1\r\nhost: x\r\n\r\n`, /200 OK[\s\S]*404 Not Found/)
  })

  it('treats a method it never heard of like one without a route', async () => {
    expect(await raw('get /f HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 405/)).toMatch(/allow: GET,HEAD,POST\r\n/)
    expect(await raw('CONNECT /f HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 405/)).toMatch(/allow: GET,HEAD,POST\r\n/)
    expect(await raw('get /none HTTP/1.1\r\nhost: x\r\n\r\n', /"Not Found"/)).toMatch(/^HTTP\/1\.1 404/)
  })

  it('says nothing of a connection that is kept, and closes one for who asks for it, whatever the handler says', async () => {
    const get = 'GET /f HTTP/1.1\r\nhost: x\r\n'
    expect(await raw(`${get}\r\n`, /"ok"/)).not.toMatch(/^connection:/im)
    handle = () => ({ headers: { connection: 'keep-alive' }, body: 'ok' })
    const text = await raw(`${get}connection: close\r\n\r\n`, /"ok"/)
    expect(text.match(/^connection: .*$/gim)).toEqual(['Connection: close'])
    await vi.waitFor(() => expect(clients.at(-1)?.readableEnded).toBe(true))
  })

  it('refuses a target with characters that none may have, a method that is no token, and other versions', async () => {
    for (const line of [
      'GET /a<b HTTP/1.1',
      'GET /a`b HTTP/1.1',
      'GET /f?a"b HTTP/1.1',
      'BREW /a>b HTTP/1.1',
      'G@T /f HTTP/1.1',
      'GET /f HTTP/2.0',
      'GET /f',
    ]) {
      expect(await raw(`${line}\r\n\r\n`, /\r\n\r\n/), line).toMatch(
        /^HTTP\/1\.1 400 Bad Request\r\nconnection: close\r\n/,
      )
    }
    for (const line of ['GET /f?a`b', 'GET /f?{|}^']) {
      expect(await raw(`${line} HTTP/1.1\r\n\r\n`, /\r\n\r\n/), line).toMatch(/^HTTP\/1\.1 200/)
    }
  })

  it('refuses more than a hundred headers, and what is no HTTP', async () => {
    const headers = Array.from({ length: 101 }, (_, i) => `x-${i}: 1\r\n`).join('')
    expect(await raw(`GET /f HTTP/1.1\r\n${headers}\r\n`, /\r\n\r\n/)).toMatch(/^HTTP\/1\.1 431/)
    expect(await raw('\x16\x03\x01 hello\r\n\r\n', /\r\n\r\n/)).toMatch(/^HTTP\/1\.1 400/)
  })

  it('sends header values beyond ASCII as UTF-8', async () => {
    handle = () => ({ headers: { 'x-name': 'café' }, body: null })
    const text = await raw('GET /f HTTP/1.1\r\nhost: x\r\n\r\n', /\r\n\r\n/)
    expect(Buffer.from(/x-name: (.*)\r\n/.exec(text)?.[1] ?? '', 'latin1').toString()).toBe('café')
  })

  // Measured on 0.22.1.
  it('takes a question mark that begins the query as part of a name', async () => {
    handle = ({ data }) => ({ body: data['query_params'] })
    expect(await (await fetch(`${engine.httpUrl}/f??x=1`)).json()).toEqual({ '?x': '1' })
  })

  // Measured on 0.22.1 and 0.23.0-rc.4.
  it('takes the first traceparent and the first baggage of a request', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c'
    handle = (call) => ({ body: call })
    const said = `traceparent: 00-${trace}-b7ad6b7169203331-01\r\nbaggage: a=b\r\n`
    const again = `traceparent: 00-${'1'.repeat(32)}-b7ad6b7169203331-01\r\nbaggage: c=d\r\n`
    const text = await raw(`GET /f HTTP/1.1\r\n${said}${again}\r\n`, /web::f/)
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({
      traceparent: expect.stringContaining(trace) as string,
      baggage: 'a=b',
    })
  })

  it('sends a bare 500 for a status that cannot end a response, and a phrase of its own for one that has none', async () => {
    for (const status_code of [100, 199]) {
      handle = () => ({ status_code, body: 1 })
      const text = await raw('GET /f HTTP/1.1\r\nhost: x\r\n\r\n', /\r\n\r\n/)
      expect(text).toMatch(/^HTTP\/1\.1 500 .*\r\ncontent-length: 0\r\n/)
      expect(text).not.toContain('access-control')
      expect(text).not.toMatch(/^connection:/im)
      await vi.waitFor(() => expect(clients.at(-1)?.readableEnded).toBe(true))
    }
    handle = () => ({ status_code: 599, body: 1 })
    expect(await raw('GET /f HTTP/1.1\r\nhost: x\r\n\r\n', /\r\n\r\n/)).toMatch(/^HTTP\/1\.1 599 <none>\r\n/)
    handle = () => ({ headers: { 'content-type': 'text/plain', 'content-length': '3' }, body: null })
    expect(await raw('GET /f HTTP/1.1\r\nhost: x\r\n\r\n', /\r\n\r\n/)).toContain('content-length: 0\r\n')
  })

  it.each([
    [203, 'Non Authoritative Information'],
    [418, "I'm a teapot"],
    [509, '<none>'],
  ])('says %i %s', async (status_code, phrase) => {
    handle = () => ({ status_code, body: 1 })
    expect(await raw('GET /f HTTP/1.1\r\nhost: x\r\n\r\n', /\r\n\r\n/)).toContain(
      `HTTP/1.1 ${status_code} ${phrase}\r\n`,
    )
  })

  it.each([204, 304])('tells no length with %i, whatever the handler says', async (status_code) => {
    handle = () => ({ status_code, headers: { 'content-type': 'text/plain', 'content-length': '5' }, body: null })
    const text = await raw('GET /f HTTP/1.1\r\nhost: x\r\n\r\n', /\r\n\r\n/)
    expect(text).not.toContain('content-length')
  })

  it('asks nobody to go on who announces no body', async () => {
    const head = 'host: x\r\nexpect: 100-continue\r\n'
    expect(await raw(`GET /f HTTP/1.1\r\n${head}\r\n`, /"ok"/)).toMatch(/^HTTP\/1\.1 200/)
    expect(await raw(`POST /f HTTP/1.1\r\n${head}content-length: 1\r\n\r\n1`, /"ok"/)).toMatch(/^HTTP\/1\.1 100/)
  })

  // Measured on 0.22.1 and 0.23.0-rc.4.
  it('passes over what else is expected', async () => {
    for (const expected of ['something', '', '100-continue, x']) {
      const head = `POST /f HTTP/1.1\r\nexpect: ${expected}\r\ncontent-length: 1\r\n\r\n1`
      expect(await raw(head, /"ok"/), expected).toMatch(/^HTTP\/1\.1 200/)
    }
  })

  // Measured on 0.22.1 and 0.23.0-rc.4.
  it('refuses a target of more than 65 534 bytes', async () => {
    const get = (bytes: number) => `GET ${'/f?'.padEnd(bytes, 'y')} HTTP/1.1\r\n\r\n`
    expect(await raw(get(65_534), /"ok"/)).toMatch(/^HTTP\/1\.1 200/)
    const refused = await raw(get(65_535), /\r\n\r\n/)
    expect(refused).toMatch(/^HTTP\/1\.1 414 URI Too Long\r\nconnection: close\r\ncontent-length: 0\r\n/)
  })

  it('cuts a body to the length its handler gives, and the connection when a head cannot be sent', async () => {
    handle = () => ({ headers: { 'content-type': 'text/plain', 'content-length': '2' }, body: 'abcdef' })
    expect(await (await fetch(`${engine.httpUrl}/f`)).text()).toBe('ab')
    handle = () => ({ headers: { 'transfer-encoding': 'chunked' }, body: 1 })
    await expect(fetch(`${engine.httpUrl}/f`)).rejects.toThrow('fetch failed')
    handle = () => ({ body: 'alive' })
    expect(await (await fetch(`${engine.httpUrl}/f`)).json()).toBe('alive')
  })

  it('sends what a handler says of trailers, where there is a body', async () => {
    handle = () => ({ headers: { trailer: 'x' }, body: 1 })
    const text = await raw('GET /f HTTP/1.1\r\nhost: x\r\n\r\n', /\r\n\r\n1/)
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*trailer: x\r\n(?:.*\r\n)*content-length: 1\r\n/)
    handle = () => ({ status_code: 204, headers: { trailer: 'x' }, body: null })
    const none = await fetch(`${engine.httpUrl}/f`)
    expect([none.status, none.headers.get('trailer')]).toEqual([204, null])
  })

  it('answers what it has read before it refuses what follows on the same connection', async () => {
    handle = () => ({ body: 'first' })
    const get = 'GET /f HTTP/1.1\r\nhost: x\r\n'
    const refused = await raw(`${get}\r\nGARBAGE\r\n\r\n`, /HTTP.*HTTP\/1\.1 \d+/s)
    expect(refused.match(/HTTP\/1\.1 \d+|"first"/g)).toEqual(['HTTP/1.1 200', '"first"', 'HTTP/1.1 400'])
    const closed = await raw(`${get}connection: close\r\n\r\n${get}\r\n`, /"first"/)
    expect(closed.match(/HTTP\/1\.1 \d+|"first"/g)).toEqual(['HTTP/1.1 200', '"first"'])
  })

  it('follows a change of its settings at once', async () => {
    const { value } = (await engine.call('configuration::get', { id: 'iii-http' })) as { value: object }
    handle = () => null
    await engine.call('configuration::set', { id: 'iii-http', value: { ...value, default_timeout: 30 } })
    expect((await fetch(`${engine.httpUrl}/f`)).status).toBe(504)
  })

  it('holds a writer back while the client does not read, and loses nothing', async () => {
    const piece = Buffer.alloc(128 * 1024)
    const pieces = 400
    let writer: WebSocket | undefined
    handle = ({ data }) => {
      const ref = data['response'] as { channel_id: string; access_key: string }
      writer = new WebSocket(`${engine.url}/ws/channels/${ref.channel_id}?key=${ref.access_key}&dir=write`)
      writer.on('open', () => {
        for (let i = 0; i < pieces; i++) writer?.send(piece)
        writer?.close()
      })
      return null
    }
    const client = connect(engine.httpPort, '127.0.0.1')
    clients.push(client)
    client.pause()
    client.write('GET /f HTTP/1.1\r\nhost: x\r\n\r\n')
    let before = -1
    await vi.waitFor(
      () => {
        const [last, now] = [before, writer?.bufferedAmount ?? 0]
        before = now
        expect(now).toBe(last)
        expect(now).toBeGreaterThan(1024 * 1024)
      },
      { interval: 100, timeout: 10_000 },
    )
    let received = 0
    let end = ''
    client.on('data', (data) => {
      received += data.length
      end = (end + data.toString('latin1', Math.max(0, data.length - 5))).slice(-5)
    })
    client.resume()
    await vi.waitFor(() => expect(end).toBe('0\r\n\r\n'), { interval: 50, timeout: 10_000 })
    expect(received).toBeGreaterThan(pieces * piece.length)
  })
})

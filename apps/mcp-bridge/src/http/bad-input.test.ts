import { connect } from 'node:net'
import { startMockEngine } from '@iii/mock-engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { startBridge } from '../testing/bridge.ts'

const ping = { jsonrpc: '2.0', id: 5, method: 'ping' }

describe('what is no JSON-RPC request', () => {
  it.each(['', '{', 'hello', '{"jsonrpc":"2.0"', '\ufeff{}', '{"a":1} {"b":2}', '['.repeat(200) + ']'.repeat(200)])(
    'is a parse error: %j',
    async (body) => {
      await using engine = await startMockEngine()
      await using bridge = await startBridge(engine)
      const { status, message } = await bridge.post(body)
      expect([status, message.id, message.error?.code]).toEqual([400, null, -32700])
    },
  )

  it.each(['null', '7', '"x"', 'true', '{}', '{"jsonrpc":"2.0","id":1}', '{"id":1,"method":"ping"}'])(
    'is an invalid request: %s',
    async (body) => {
      await using engine = await startMockEngine()
      await using bridge = await startBridge(engine)
      const { status, message } = await bridge.post(body)
      expect([status, message.error?.code]).toEqual([400, -32600])
    },
  )

  it('may not be a batch', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { status, message } = await bridge.post([ping])
    expect([status, message]).toEqual([
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Batch requests are not supported' } },
    ])
  })

  it('is told with its id where there is one', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    for (const [body, id] of [
      [{ ...ping, params: [] }, 5],
      [{ ...ping, jsonrpc: '1.0' }, 5],
      [{ ...ping, id: 1.5 }, null],
      [{ ...ping, id: 2 ** 53 }, null],
    ] as const) {
      const { status, message } = await bridge.post(body)
      expect([status, message.id]).toEqual([400, id])
    }
  })

  it('that has none is told without one where the revision allows that, else with null', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    for (const [revision, isNull] of [
      [undefined, true],
      ['2025-06-18', true],
      ['2025-11-25', false],
      ['2026-07-28', false],
      ['2099-01-01', true],
    ] as const) {
      const { text } = await bridge.post('{', { 'mcp-protocol-version': revision })
      expect([revision, text.includes('"id":null'), text.includes('"id"')]).toEqual([revision, isNull, isNull])
    }
  })

  it('has no reserved keys where it is read', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const { message } = await bridge.post(`{"jsonrpc":"2.0","id":5,"method":"ping","params":{"${key}":{"x":1}}}`)
      expect([message.id, message.error?.code]).toEqual([5, -32600])
    }
    expect((await bridge.post(ping)).status).toBe(200)
  })
})

describe('whatever is posted', () => {
  it('is answered in words, never with a stack, and the next request is served', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const method = fc.constantFrom('tools/call', 'tools/list', 'resources/read', 'prompts/get', 'initialize', 'x')
    const params = fc.oneof(
      fc.jsonValue(),
      fc.record({ name: fc.string(), uri: fc.string(), arguments: fc.jsonValue(), _meta: fc.jsonValue() }),
    )
    const message = fc.record({ jsonrpc: fc.constant('2.0'), id: fc.constant(1), method, params })
    const body = fc.oneof(
      message.map((value) => JSON.stringify(value)),
      fc.json(),
      fc.string({ unit: 'grapheme' }),
    )
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        const reply = await bridge.post(text)
        expect([200, 202, 400]).toContain(reply.status)
        expect(reply.text).not.toMatch(/\n\s+at |\.ts:\d/)
      }),
      { numRuns: 150 },
    )
    expect((await bridge.post(ping)).status).toBe(200)
  })
})

describe('a request body', () => {
  it('is JSON in any spelling of its content type', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'APPLICATION/JSON;x=y']) {
      expect((await bridge.post(ping, { 'content-type': type })).message).toEqual({
        jsonrpc: '2.0',
        id: 5,
        result: {},
      })
    }
    const { status, message } = await bridge.post('{', { 'content-type': 'Application/JSON' })
    expect([status, message.error?.code]).toEqual([400, -32700])
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/vnd.api+json',
    'text/plain;application/json',
  ])('is refused as %s', async (type) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { status, message } = await bridge.post(ping, { 'content-type': type })
    expect([status, message.error?.code]).toEqual([415, -32000])
  })

  it('is refused when it is packed', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { status, message } = await bridge.post(ping, { 'content-encoding': 'gzip' })
    expect([status, message.id, message.error?.message]).toEqual([
      415,
      5,
      'Content-Encoding is not supported: send the body uncompressed',
    ])
  })

  it('has a limit, which the answer names', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { limits: { bodyBytes: 1_000 } })
    const atLimit = JSON.stringify({ ...ping, params: { x: '' } })
    const fits = atLimit.replace('""', `"${'x'.repeat(1_000 - atLimit.length)}"`)
    expect((await bridge.post(fits)).status).toBe(200)
    const { status, message } = await bridge.post(fits.replace('"x', '"xx'))
    expect([status, message.id, message.error]).toEqual([
      413,
      5,
      { code: -32000, message: 'The request body is too large: this server takes at most 1000 bytes' },
    ])
    const odd = await bridge.post('x'.repeat(1_001), { 'content-type': 'Application/JSON' })
    expect(odd.status).toBe(413)
  })

  it('of 30 MiB costs nobody anything', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { workerId } = bridge.worker
    const huge = `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"${'x'.repeat(30 * 1024 * 1024)}"}}`
    const { status, message } = await bridge.post(huge)
    expect([status, message.error?.message]).toEqual([
      413,
      'The request body is too large: this server takes at most 4194304 bytes',
    ])
    expect(bridge.worker.workerId).toBe(workerId)
    expect((await bridge.post(ping)).status).toBe(200)
  })
})

describe('a client that sends slowly', () => {
  it('delays nobody else', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { hostname, port } = new URL(bridge.url)
    const socket = connect(Number(port), hostname)
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: Application/JSON\r\ncontent-length: 100\r\n\r\n{`,
    )
    expect((await bridge.post(ping)).status).toBe(200)
    socket.destroy()
  })
})

import { startMockEngine } from '@iii/mock-engine'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBridge, type TestBridge } from '../testing/bridge.ts'

let engine: Awaited<ReturnType<typeof startMockEngine>>
let bridge: TestBridge

beforeAll(async () => {
  engine = await startMockEngine()
  bridge = await startBridge(engine)
})
afterAll(async () => {
  await bridge?.[Symbol.asyncDispose]()
  await engine?.[Symbol.asyncDispose]()
})

/** Calls the endpoint past HTTP. */
function ask(payload: unknown): Promise<unknown> {
  return bridge.other.trigger({ function_id: 'mcp::handler', payload })
}

const ping = { jsonrpc: '2.0', id: 5, method: 'ping' }
const headers = { host: 'localhost', 'content-type': 'application/json' }

/**
 * A JSON-RPC response: a result, or an error with a number and words.
 *
 * @param revision that its client speaks: an error that is about no request has no id then, where the revision says so
 */
function expectRpc(reply: unknown, revision?: unknown): void {
  const { jsonrpc, id, result, error } = reply as Record<string, unknown>
  expect(jsonrpc).toBe('2.0')
  const isNone = id === (revision === '2026-07-28' ? undefined : null)
  expect((isNone && error !== undefined) || ['string', 'number'].includes(typeof id)).toBe(true)
  if (result === undefined)
    expect(error).toMatchObject({ code: expect.any(Number), message: expect.stringMatching(/./) })
  else expect(error).toBeUndefined()
  expect(JSON.stringify(reply)).not.toMatch(/\\n\s+at |\.ts:\d/)
}

/** What an engine can make an HTTP response of. */
function expectHttp(reply: unknown, revision?: unknown): void {
  const { status_code, headers: sent, body } = reply as Record<string, unknown>
  expect([200, 202, 204, 400, 403, 404, 405, 413, 415]).toContain(status_code)
  expect(Object.values(sent as object).every((value) => typeof value === 'string')).toBe(true)
  if (body !== null) expectRpc(JSON.parse(String(body).replace(/^event: message\ndata: /, '')), revision)
}

function expectReply(reply: unknown, payload: unknown): void {
  if (reply === undefined) return
  const { headers: sent } = Object(payload) as { headers?: unknown }
  const revision = (Object(sent) as Record<string, unknown>)['mcp-protocol-version']
  if (typeof reply === 'object' && reply !== null && 'status_code' in reply) expectHttp(reply, revision)
  else expectRpc(reply)
}

describe('a call of mcp::handler by iii.trigger', () => {
  it.each([
    [{ host: 5 }, 403, -32000],
    [{ host: {} }, 403, -32000],
    [{ ...headers, 'mcp-session-id': 9 }, 404, -32001],
    [{ ...headers, 'mcp-session-id': { toString: 1 } }, 200, undefined],
    [{ ...headers, origin: null }, 403, -32000],
    [{ ...headers, accept: [] }, 200, undefined],
    [{ ...headers, 'content-type': true }, 415, -32000],
    [{ ...headers, 'content-length': 5e9 }, 413, -32000],
    [{ ...headers, 'mcp-protocol-version': 1 }, 400, -32000],
  ])('with the headers %j has an HTTP reply', async (odd, status, code) => {
    const reply = (await ask({ method: 'POST', headers: odd, body: ping })) as { status_code: number; body: string }
    expectHttp(reply)
    expect([reply.status_code, JSON.parse(reply.body).error?.code]).toEqual([status, code])
  })

  it.each([undefined, null, 7, {}, { channel_id: 5, access_key: 'x' }, { channel_id: '../x', access_key: 'y' }])(
    'with a body that nobody can read, in %j, is told so',
    async (request_body) => {
      const reply = (await ask({ method: 'POST', headers, request_body })) as { status_code: number; body: string }
      expect([reply.status_code, JSON.parse(reply.body).error.code]).toEqual([400, -32700])
    },
  )

  it('that is no HTTP request is a message', async () => {
    expect(await ask({ ...ping, headers: 7 })).toEqual({ jsonrpc: '2.0', id: 5, result: {} })
    expect(await ask({ ...ping, method: 7, headers: {} })).toMatchObject({ id: 5, error: { code: -32600 } })
  })

  it('has a proper reply whatever it holds', async () => {
    const name = fc.constantFrom(
      ...['host', 'origin', 'accept', 'content-type', 'content-length', 'content-encoding', 'mcp-session-id'],
      ...['mcp-protocol-version', 'mcp-method', 'mcp-name', 'sec-fetch-site', '__proto__', 'x'],
    )
    const text = fc.constantFrom('localhost', 'application/json', 'text/event-stream', '2026-07-28', 'ping', '')
    const odd = fc.oneof(text, fc.jsonValue())
    const key = 'io.modelcontextprotocol/'
    const meta = fc.dictionary(fc.constantFrom(`${key}protocolVersion`, `${key}clientCapabilities`), odd)
    const method = fc.oneof(fc.constantFrom('ping', 'initialize', 'tools/call', 'resources/read', 'prompts/get'), odd)
    const params = fc.oneof(fc.record({ name: odd, uri: odd, arguments: odd, _meta: meta }, { requiredKeys: [] }), odd)
    const message = fc.record(
      { jsonrpc: fc.oneof(fc.constant('2.0'), odd), id: fc.oneof(fc.constant(1), odd), method, params },
      { requiredKeys: ['jsonrpc'] },
    )
    const request = fc.record(
      {
        method: fc.oneof(fc.constantFrom('POST', 'GET', 'DELETE'), odd),
        headers: fc.oneof(
          fc.dictionary(name, odd).map((some): unknown => ({ ...headers, ...some })),
          odd,
        ),
        body: fc.oneof(message, odd),
        request_body: odd,
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(fc.oneof(request, message, fc.jsonValue()), async (payload) => {
        expectReply(await ask(payload), payload)
      }),
      { numRuns: 400 },
    )
    expect(await ask(ping)).toEqual({ jsonrpc: '2.0', id: 5, result: {} })
  })
})

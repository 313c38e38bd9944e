import { afterAll, beforeAll, expect } from 'vitest'
import { badInput, forge } from '../bad-input.ts'
import { type RawReply, sendHttp } from '../http-request.ts'
import { openSession as openRawSession, postRequest } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack?.[Symbol.asyncDispose]())

const JSON_TYPE = { 'content-type': 'application/json' }

function post(body: unknown, headers: Record<string, string> = {}): Promise<RawReply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return sendHttp(stack.mcpUrl, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: text })
}

function call(method: string, params?: object): object {
  return { jsonrpc: '2.0', id: 7, method, ...(params === undefined ? {} : { params }) }
}

async function openSession(version = '2025-11-25'): Promise<{ 'mcp-session-id': string }> {
  const clientInfo = { name: 'raw', version: '1' }
  const reply = await post(call('initialize', { protocolVersion: version, capabilities: {}, clientInfo }))
  expect(reply.status).toBe(200)
  return { 'mcp-session-id': String(reply.headers['mcp-session-id']) }
}

for (const [what, request, { status, code, message, id }] of badInput) {
  scenario(['http/bad-input', 'http/no-leaks'], `${what} is refused with ${code}`, async () => {
    const reply = await sendHttp(stack.mcpUrl, request)
    expect(reply.headers['content-type']).toBe('application/json')
    const answer = JSON.parse(reply.body)
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id,
      error: expect.objectContaining({ code, message: expect.stringMatching(message) }),
    })
    expect(reply.status).toBe(status)
    expectNoLeak(reply.body)
  })
}

/** Neither a stack line nor a path of this machine nor a module of ours. */
function expectNoLeak(text: string): void {
  expect(text).not.toMatch(/\bat .+[(:]\d+|node_modules|file:\/\/|\.[cm]?[jt]s\b/)
  expect(text).not.toContain(process.cwd())
}

scenario(['http/too-large'], 'a body over the limit is refused with the limit while others are served', async () => {
  const arguments_ = { order_id: 'x'.repeat(5 * 1024 * 1024) }
  const [large, small] = await Promise.all([
    post(call('tools/call', { name: 'orders__get', arguments: arguments_ })),
    post(call('tools/call', { name: 'orders__list', arguments: {} })),
  ])
  expect(large.status).toBe(413)
  expect(JSON.parse(large.body).error.message).toMatch(/4 MiB|4194304/)
  expect(small.status).toBe(200)
  expect(JSON.parse(small.body).result.structuredContent.total).toBe(0)
  await expect(stack.worker.trigger({ function_id: 'orders::list' })).resolves.toMatchObject({ total: 0 })
})

scenario(['http/bad-input'], 'JSON is recognised whatever the spelling of its content type', async () => {
  for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8']) {
    const reply = await post(call('ping'), { 'content-type': type })
    expect({ type, status: reply.status, body: JSON.parse(reply.body) }).toEqual({
      type,
      status: 200,
      body: { jsonrpc: '2.0', id: 7, result: {} },
    })
  }
})

const strangers: readonly Record<string, string>[] = [
  { host: 'evil.example' },
  { host: '127.0.0.1.evil.example:3111' },
  { host: 'localhost.evil.example' },
  { host: '10.0.0.1' },
  { origin: 'https://evil.example' },
  { origin: 'http://localhost.evil.example' },
  { origin: 'http://localhost@evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
]
for (const headers of strangers) {
  scenario(['http/origin'], `a request with ${JSON.stringify(headers)} is refused, whatever its method`, async () => {
    const reply = await post(call('tools/list'), headers)
    expect(reply.status).toBe(403)
    expect(JSON.parse(reply.body)).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32000 } })
    expect((await sendHttp(stack.mcpUrl, { method: 'GET', headers })).status).toBe(403)
    expect((await sendHttp(stack.mcpUrl, { method: 'DELETE', headers })).status).toBe(403)
  })
}

const friends: readonly Record<string, string>[] = [
  { host: 'localhost' },
  { host: 'LOCALHOST:1234' },
  { host: '[::1]:3111' },
  { origin: 'http://localhost:6274' },
  { origin: 'http://127.0.0.1:6274' },
  { 'sec-fetch-site': 'same-origin' },
]
for (const headers of friends) {
  scenario(['http/origin'], `a request with ${JSON.stringify(headers)} is welcome`, async () => {
    expect((await post(call('ping'), headers)).status).toBe(200)
  })
}

const jsonReplies = [undefined, 'application/json', '*/*', 'application/json, text/event-stream', 'text/html']
for (const accept of jsonReplies) {
  scenario(['http/reply', 'client/no-session'], `the reply is JSON when a client accepts ${accept}`, async () => {
    const reply = await post(call('ping'), accept === undefined ? {} : { accept })
    expect(reply.headers['content-type']).toBe('application/json')
    expect(reply.body).toBe('{"jsonrpc":"2.0","id":7,"result":{}}')
  })
}

scenario(['http/reply'], 'the reply is one event when a client accepts nothing else', async () => {
  const reply = await post(call('ping'), { accept: 'text/event-stream' })
  expect(reply.headers['content-type']).toBe('text/event-stream')
  expect(reply.body).toBe('event: message\ndata: {"jsonrpc":"2.0","id":7,"result":{}}\n\n')
  const failure = await post(call('nothing'), { accept: 'text/event-stream' })
  expect(failure.body).toMatch(/^event: message\ndata: \{.*-32601.*\}\n\n$/)
})

for (const accept of ['application/json', 'text/event-stream', 'application/json, text/event-stream']) {
  scenario(
    ['http/notification'],
    `a notification is accepted without a body by a client that accepts ${accept}`,
    async () => {
      for (const method of ['notifications/initialized', 'notifications/unheard-of']) {
        const reply = await post({ jsonrpc: '2.0', method }, { accept })
        expect({ status: reply.status, body: reply.body }).toEqual({ status: 202, body: '' })
      }
    },
  )
}

scenario(['http/sessions'], 'GET and DELETE without a session are refused at once', async () => {
  for (const method of ['GET', 'DELETE']) {
    const reply = await sendHttp(stack.mcpUrl, { method, headers: { accept: 'text/event-stream' } })
    expect({ method, status: reply.status }).toEqual({ method, status: 405 })
  }
})

scenario(['http/sessions'], 'a session lives until it is ended, and a forged one never did', async () => {
  const session = await openSession()
  expect((await post(call('tools/list'), session)).status).toBe(200)
  const forged = { 'mcp-session-id': forge(session['mcp-session-id']) }
  expect((await post(call('tools/list'), forged)).status).toBe(404)
  expect((await post(call('tools/list'), { 'mcp-session-id': 'made-up' })).status).toBe(404)
  expect((await sendHttp(stack.mcpUrl, { method: 'DELETE', headers: session })).status).toBe(204)
  const after = await post(call('tools/list'), session)
  expect(after.status).toBe(404)
  expect(JSON.parse(after.body)).toMatchObject({ id: 7, error: { code: -32001 } })
})

scenario(['clients/goodbye'], 'whoever has ended its session hears nothing more of its calls', async () => {
  const told: unknown[] = []
  let begun = 0
  const { worker, mcpUrl } = stack
  worker.registerFunction('never::told', (event) => void told.push(event))
  const begin = async (_: unknown, beside: unknown) => {
    begun += 1
    const { via, call_id } = (beside as { mcp: { via: string; call_id: string } }).mcp
    if (begun === 1) await worker.trigger({ function_id: `${via}::progress`, payload: { call_id, progress: 1 } })
    return new Promise(() => undefined)
  }
  worker.registerFunction('never::ends', begin, { metadata: { mcp: { cancel: 'never::told' } } })
  await worker.ready()
  for (const revision of ['2025-06-18', '2025-11-25']) {
    begun = 0
    told.length = 0
    const session = await openRawSession(mcpUrl, {}, revision)
    const ask = (id: number) =>
      postRequest(mcpUrl, session, 'tools/call', { name: 'never__ends', _meta: { progressToken: 'p' } }, id)
    using streamed = ask(1)
    await until(() => streamed.messages.length === 1, { what: 'a call to become a stream' })
    using plain = ask(2)
    await until(() => begun === 2, { what: 'both calls to run' })
    expect((await sendHttp(mcpUrl, { method: 'DELETE', headers: session })).status).toBe(204)
    expect([await plain.over, await plain.status]).toEqual([[], 202])
    expect(await streamed.over).toMatchObject([{ method: 'notifications/progress' }])
    await until(() => told.length === 2, { what: 'the function to be told' })
  }
})

const versions = [
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-03-26'],
  ['2024-11-05', '2024-11-05'],
  ['2026-07-28', '2025-11-25'],
  ['1999-01-01', '2025-11-25'],
] as const
for (const [asked, answered] of versions) {
  scenario(['client/connect'], `initialize with ${asked} is answered with ${answered}`, async () => {
    const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    expect(JSON.parse((await post(call('initialize', params))).body).result.protocolVersion).toBe(answered)
  })
}

scenario(['bus/bare-message'], 'a JSON-RPC message by iii.trigger is answered without HTTP around it', async () => {
  const ask = (payload: unknown) => stack.worker.trigger({ function_id: 'mcp::handler', payload })
  expect(await ask(call('ping'))).toEqual({ jsonrpc: '2.0', id: 7, result: {} })
  const list = (await ask(call('tools/list'))) as { result: { tools: { name: string }[] } }
  expect(list.result.tools.map(({ name }) => name)).toContain('orders__create')
  const order = { customer: 'Bus', currency: 'EUR', lines: [{ sku: 'TEA', quantity: 1, unit_price: 1 }] }
  expect(await ask(call('tools/call', { name: 'orders__create', arguments: order }))).toMatchObject({
    id: 7,
    result: { structuredContent: { status: 'open', total: 1 } },
  })
  expect(await ask({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeUndefined()
  expect(await ask(call('tools/destroy'))).toMatchObject({ id: 7, error: { code: -32601 } })
  expect(await ask({ hello: 'there' })).toMatchObject({ id: null, error: { code: -32600 } })
  const headers = { host: 'localhost', 'content-type': 'application/json' }
  const odd = (more: object) => ask({ method: 'POST', headers: { ...headers, ...more }, body: call('ping') })
  expect(await odd({ host: 5 })).toMatchObject({ status_code: 403, body: expect.stringContaining('-32000') })
  expect(await odd({ 'mcp-session-id': 9 })).toMatchObject({
    status_code: 404,
    body: expect.stringContaining('"code":-32001'),
  })
})

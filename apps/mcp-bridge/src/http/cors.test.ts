import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startCarrier } from '../testing/carrier.ts'
import { postInit } from '../testing/events.ts'
import type { TestMethod } from '../testing/method-table.ts'

const page = { origin: 'http://localhost:6274' }
const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } }
const chatty: TestMethod = async (_, { reach }) => ({
  told: await reach.notify('notifications/progress', { progressToken: 1, progress: 1 }),
})
const fields = ['access-control-allow-origin', 'access-control-expose-headers']
const read = (response: Response) => fields.map((name) => response.headers.get(name))

describe('a web page on another origin', () => {
  it('may read the session id when the operator lets it in', async () => {
    await using engine = await startMockEngine({ cors: { allowedOrigins: [page.origin], allowedMethods: [] } })
    await using carrier = await startCarrier(engine, { chatty })
    const opened = await fetch(carrier.url, postInit(hello, page))
    expect(read(opened)).toEqual([page.origin, 'mcp-session-id, retry-after, www-authenticate'])
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const stream = await fetch(carrier.url, postInit({ ...hello, method: 'chatty' }, { ...page, ...session }))
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    expect(read(stream)).toEqual([page.origin, 'mcp-session-id, retry-after, www-authenticate'])
    const get = await fetch(carrier.url, { headers: { ...page, ...session, accept: 'text/event-stream' } })
    expect(read(get)).toEqual([page.origin, 'mcp-session-id, retry-after, www-authenticate'])
    await get.body?.cancel()
  })

  it('is not let in by us where the operator has not listed it', async () => {
    await using engine = await startMockEngine({ cors: { allowedOrigins: ['https://a.example'], allowedMethods: [] } })
    await using carrier = await startCarrier(engine, {})
    expect(read(await fetch(carrier.url, postInit(hello, page)))[0]).toBeNull()
  })

  it('reads everything where the operator has set nothing', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, {})
    expect(read(await fetch(carrier.url, postInit(hello, page)))).toEqual(['*', '*'])
    expect(read(await fetch(carrier.url, postInit(hello)))).toEqual(['*', '*'])
  })
})

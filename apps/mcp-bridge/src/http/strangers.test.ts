import { request } from 'node:http'

import { startMockEngine } from '@iii/mock-engine'

import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { startBridge, toBridgeReply } from '../testing/bridge.ts'

const ping = { jsonrpc: '2.0', id: 5, method: 'ping' }

/** Sends bytes as they are: fetch mends too much. */
function send(url: string, headers: Record<string, string>, body: string | Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('a stranger', () => {
  it.each([
    [{ origin: 'https://evil.example.com' }],
    [{ origin: 'null' }],
    [{ origin: '' }],
    [{ origin: 'http://localhost.evil.com' }],
    [{ 'sec-fetch-site': 'cross-site' }],
  ])('is turned away, with the id: %j', async (headers) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { status, message } = await bridge.post(ping, headers)
    expect([status, message.id, message.error?.code]).toEqual([403, 5, -32000])
  })

  it('is turned away for the Host it names, by every method', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const headers = { host: 'evil.example.com', 'content-type': 'application/json' }
    expect(await send(bridge.url, headers, JSON.stringify(ping))).toBe(403)
    for (const method of ['GET', 'DELETE']) {
      const { status } = await toBridgeReply(
        await fetch(bridge.url, { method, headers: { origin: 'https://evil.example' } }),
      )
      expect(status).toBe(403)
    }
  })

  it('is let in once the operator says so', async () => {
    await using engine = await startMockEngine()
    const options = { allowedHosts: ['mcp.example.com'], allowedOrigins: ['https://app.example.com'] }
    await using bridge = await startBridge(engine, { options })
    const headers = { host: 'mcp.example.com', 'content-type': 'application/json' }
    const { status, text } = await bridge.post(ping)
    expect([status, text]).toEqual([503, expect.stringContaining('does not say who of them may ask')])
    expect(await send(bridge.url, headers, JSON.stringify(ping))).toBe(503)
    bridge.set({ auth: AuthBlock.parse({ mode: 'off' }) })
    expect(await send(bridge.url, headers, JSON.stringify(ping))).toBe(200)
    expect((await bridge.post(ping, { origin: 'https://app.example.com' })).status).toBe(200)
    bridge.set({ allowedOrigins: [] })
    expect((await bridge.post(ping, { origin: 'https://app.example.com' })).status).toBe(403)
  })

  it('reaches no function', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    let calls = 0
    bridge.other.registerFunction('orders::cancel', () => ({ calls: ++calls }))
    await bridge.other.ready()
    const body = { ...ping, method: 'tools/call', params: { name: 'orders__cancel', arguments: {} } }
    for (const headers of [
      { origin: 'https://evil.example.com' },
      { 'content-type': 'text/plain' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await bridge.post(body, headers)).status).toBeGreaterThanOrEqual(400)
    }
    expect(calls).toBe(0)
    expect((await bridge.post(body)).status).toBe(200)
    expect(calls).toBe(1)
  })
})

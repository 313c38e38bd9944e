import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startCarrier } from '../testing/carrier.ts'
import { postInit } from '../testing/events.ts'

const NOTICE = { jsonrpc: '2.0', method: 'notifications/initialized' }

/** Everything that is no request, and what a session answers to it. */
const MESSAGES: Readonly<Record<string, readonly [init: RequestInit, status: number]>> = {
  'a notification': [postInit(NOTICE), 202],
  'an answer': [postInit({ jsonrpc: '2.0', id: 'nothing', result: {} }), 202],
  'the listening': [{ headers: { accept: 'application/json' } }, 406],
  'the end of a session': [{ method: 'DELETE' }, 204],
}

describe('a header with a revision that is not served', () => {
  it.each(Object.entries(MESSAGES))('refuses %s, and nothing comes of it', async (_, [init, status]) => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, {})
    const params = { protocolVersion: '2025-11-25', capabilities: {} }
    const opened = await fetch(carrier.url, postInit({ jsonrpc: '2.0', id: 1, method: 'initialize', params }))
    const session = opened.headers.get('mcp-session-id') ?? ''
    const send = (revision: string) => {
      const headers = new Headers(init.headers)
      headers.set('mcp-session-id', session)
      headers.set('mcp-protocol-version', revision)
      return fetch(carrier.url, { ...init, headers })
    }
    const refused = await send('1999-01-01')
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { code: -32_000, message: expect.stringContaining('Unsupported protocol version') } },
    ])
    expect((await send('2025-11-25')).status).toBe(status)
  })

  it('is no matter of notifications of 2026-07-28', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, {})
    const { status } = await fetch(carrier.url, postInit(NOTICE, { 'mcp-protocol-version': '2026-07-28' }))
    expect(status).toBe(202)
  })
})

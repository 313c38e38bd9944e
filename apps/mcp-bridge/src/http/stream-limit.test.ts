import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { startBridge, stateless } from '../testing/bridge.ts'
import { openEvents, postInit } from '../testing/events.ts'

const [CI, DESK] = [createToken(), createToken()]
const as = (token: string) => ({ authorization: `Bearer ${token}` })

it('beyond the limit of its token a stream is refused with 429 and that reason, and another token opens its own', async () => {
  await using engine = await startMockEngine()
  const auth = AuthBlock.parse({
    tokens: [
      { name: 'ci', hash: [toDigest(CI)], grant: 'all', limits: { streams: 1 } },
      { name: 'desk', hash: [toDigest(DESK)], grant: 'all' },
    ],
    grants: { all: {} },
  })
  await using bridge = await startBridge(engine, { options: { auth } })
  const { meta, headers } = stateless('subscriptions/listen')
  const params = { notifications: { toolsListChanged: true }, _meta: meta }
  const message = { jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params }
  const listen = (token: string) => openEvents(bridge.url, postInit(message, { ...headers, ...as(token) }))
  const first = await listen(CI)
  await first.nextMessage()

  const both = { accept: 'application/json, text/event-stream' }
  const listened = await bridge.rpc('subscriptions/listen', params, { ...headers, ...both, ...as(CI) })
  expect([listened.status, listened.text]).toEqual([429, expect.stringContaining('for this caller')])

  const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const begun = await bridge.rpc('initialize', client, as(CI))
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
  const got = await fetch(bridge.url, { headers: { ...as(CI), ...session, ...both } })
  expect([got.status, await got.text()]).toEqual([429, expect.stringContaining('for this caller')])

  const other = await listen(DESK)
  await other.nextMessage()
})

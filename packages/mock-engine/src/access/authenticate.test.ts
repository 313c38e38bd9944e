import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startMockEngine } from '../engine.ts'
import { connectRaw } from '../testing/raw-worker.ts'

it('an auth function does not see headers with bytes beyond ASCII, and the last of others', async () => {
  await using engine = await startMockEngine({ restricted: { authFunctionId: 'ops::auth' } })
  using ops = await connectRaw(engine.url)
  ops.offer('ops::auth', () => [{}])
  await ops.sync()
  const headers = { 'x-token': ['first', 'l\u00e9', 'last', '\u00e9'], 'x-name': 'caf\u00e9', 'x-tab': 'a\tb' }
  const guest = new WebSocket(engine.restrictedUrl ?? '', { headers: headers as unknown as Record<string, string> })
  const { data } = await ops.frame(({ type }) => type === 'invokefunction')
  const { headers: seen } = data as { headers: Record<string, string> }
  expect(seen).toMatchObject({ 'x-token': 'last', 'x-tab': 'a\tb' })
  expect(seen).not.toHaveProperty('x-name')
  guest.terminate()
})

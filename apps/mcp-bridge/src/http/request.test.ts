import { startMockEngine } from '@iii/mock-engine'
import { registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startCarrier } from '../testing/carrier.ts'
import type { TestMethod } from '../testing/method-table.ts'
import { readHttpRequest } from './request.ts'

const ref = { channel_id: 'c', access_key: 'k' }

describe('where a request is read from, and where its reply goes', () => {
  it.each([
    [{ request_body: ref, response: ref }, 'read', 'write'],
    [{ request_body: { ...ref, direction: 'read' }, response: { ...ref, direction: 'write' } }, 'read', 'write'],
    [{ request_body: { ...ref, direction: 'write' }, response: { ...ref, direction: 'read' } }, undefined, undefined],
    [{ request_body: 'c', response: { channel_id: 'c' } }, undefined, undefined],
  ])('is the right end of a channel or none: %j', (refs, body, reply) => {
    const request = readHttpRequest({ method: 'POST', headers: {}, ...refs })
    expect([request?.request_body?.direction, request?.response?.direction]).toEqual([body, reply])
  })
})

const SILENCE_MS = 5
const slow: TestMethod = () => new Promise((resolve) => setTimeout(resolve, 2 * SILENCE_MS, { isDone: true }))

const chatty: TestMethod = async (_, { reach }) => ({
  isDelivered: await reach.notify('notifications/progress', { progressToken: 1, progress: 1 }),
})

it('a request that a worker sends with the wrong end of a channel for its reply is served plainly', async () => {
  await using engine = await startMockEngine()
  await using _carrier = await startCarrier(engine, { slow, chatty }, { limits: { silenceMs: SILENCE_MS } })
  await using other = registerWorker(engine.url, { name: 'other' })
  const headers = { host: 'localhost', 'content-type': 'application/json', accept: '*/*' }
  const ask = async (method: string) => {
    const body = { jsonrpc: '2.0', id: 1, method }
    const payload = { method: 'POST', headers, body, response: { ...ref, direction: 'read' } }
    return await other.trigger({ function_id: 'mcp::handler', payload })
  }
  expect(await ask('chatty')).toMatchObject({ body: expect.stringContaining('"isDelivered":false') })
  expect(await ask('slow')).toMatchObject({ body: expect.stringContaining('"isDone":true') })
})

import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { startCarrier, type TestCarrier } from '../testing/carrier.ts'
import { postInit } from '../testing/events.ts'
import type { TestMethod } from '../testing/method-table.ts'
import { untilAnswer } from '../testing/until.ts'

const SESSIONS = 24

async function open(carrier: TestCarrier): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {} }
  const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
  const { headers } = await fetch(carrier.url, postInit(body))
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
}

/** Begins something in each session and ends it in the same breath. @returns the status of what was begun */
async function race<T>(
  carrier: TestCarrier,
  begin: (headers: Record<string, string>) => Promise<T>,
  end: (headers: Record<string, string>) => Promise<unknown>,
): Promise<T[]> {
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => open(carrier)))
  const both = sessions.map(async (headers) => (await Promise.all([begin(headers), end(headers)]))[0])
  return Promise.all(both)
}

it('a request that comes while its session ends is ended with it, or finds none', async () => {
  await using engine = await startMockEngine()
  const running = new Set<unknown>()
  const wait: TestMethod = (_, call) => {
    running.add(call)
    return new Promise((resolve) => {
      call.signal.addEventListener('abort', () => {
        running.delete(call)
        resolve(undefined)
      })
    })
  }
  await using carrier = await startCarrier(engine, { wait })
  const body = { jsonrpc: '2.0', id: 1, method: 'wait' }
  // By the bus they come in the same moment.
  const send = async (method: string, headers: Record<string, string>) => {
    const payload = { method, headers: { ...headers, host: 'localhost', 'content-type': 'application/json' }, body }
    return await carrier.worker.trigger({ function_id: 'mcp::handler', payload })
  }
  const replies = await race(
    carrier,
    (headers) => send('POST', headers) as Promise<{ status_code: number }>,
    (headers) => send('DELETE', headers),
  )
  expect(replies.filter(({ status_code }) => status_code !== 202 && status_code !== 404)).toEqual([])
  expect(running.size).toBe(0)
})

it('a stream that is opened while its session ends is ended with it, or finds none', async () => {
  await using engine = await startMockEngine()
  await using carrier = await startCarrier(engine, {})
  const statuses = await race(
    carrier,
    async (headers) => {
      const response = await fetch(carrier.url, { headers: { ...headers, accept: 'text/event-stream' } })
      await response.text()
      return response.status
    },
    (headers) => fetch(carrier.url, { method: 'DELETE', headers }),
  )
  expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([])
  await untilAnswer(
    () => [carrier.streams.count, carrier.watchers.size],
    ([streams, watchers]) => streams === 0 && watchers === 0,
  )
})

import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { InvocationError } from '../engine/invocation-error.ts'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { registerWorker } from '../worker/register-worker.ts'
import { findRouteReach } from './route-reach.ts'
import { createSelfRequests } from './self-requests.ts'

const ROUTE = { id: 't', functionId: 'orders::get', method: 'POST', path: 'orders/:id' }

/** A port that answers as `answer` says, on an engine that says so of its HTTP port. */
async function tryAt(answer: RequestListener, { host = '127.0.0.1', path = ROUTE.path } = {}) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const engine = { url: 'ws://127.0.0.1:1/', trigger: async () => ({ value: { host, port } }) as never }
    const options = { routes: [{ ...ROUTE, path }], selfRequests: createSelfRequests(), requestMs: 200 }
    return await findRouteReach(engine, options)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const status =
  (code: number): RequestListener =>
  (_, response) =>
    void response.writeHead(code).end()
const failing = (code: string, url = 'ws://127.0.0.1:1/') => ({
  url,
  trigger: () => Promise.reject(new InvocationError(code, 'no', 'configuration::get')),
})
const options = { routes: [ROUTE], selfRequests: createSelfRequests(), requestMs: 200 }

describe('whether requests come to a worker', () => {
  it('is tried by each of its routes, and calls no handler', async () => {
    await using engine = await startMockEngine()
    const called: unknown[] = []
    await using worker = registerWorker(engine.url, { name: 'orders', log: createRecordedLog() })
    expect(await worker.reach()).toEqual({ kind: 'reached' })
    worker.registerFunction('orders::get', (payload) => ({ status_code: 200, body: called.push(payload) }))
    for (const http_method of ['GET', 'POST', 'DELETE']) {
      const config = { api_path: '/orders/:id/lines', http_method }
      worker.registerTrigger({ type: 'http', function_id: 'orders::get', config })
    }
    await worker.ready()
    expect(await worker.reach()).toEqual({ kind: 'reached' })
    expect(called).toEqual([])
    // Only what it has sent itself is answered so.
    await fetch(`${engine.httpUrl}/orders/1/lines`, { headers: { 'iii-route-check': 'guessed' } })
    expect(called).toHaveLength(1)
  })

  it('is not so where another worker has the route', async () => {
    await using engine = await startMockEngine()
    await using worker = registerWorker(engine.url, { name: 'orders', log: createRecordedLog() })
    await using other = registerWorker(engine.url, { name: 'other', log: createRecordedLog() })
    const config = { api_path: '/orders', http_method: 'POST' }
    for (const owner of [worker, other]) {
      owner.registerFunction(`${owner === worker ? 'orders' : 'other'}::get`, () => ({ status_code: 200 }))
      owner.registerTrigger({ type: 'http', function_id: owner === worker ? 'orders::get' : 'other::get', config })
      await owner.ready()
    }
    expect(await worker.reach()).toMatchObject({
      kind: 'blocked',
      why: 'a request of this process to POST /orders was answered by something else (HTTP 200)',
      advice: expect.stringContaining('give one of the two another path'),
    })
  })

  it.each([
    [404, 'blocked', /HTTP port does not know POST \/orders\/:id \(HTTP 404\)/, /access rules/],
    [405, 'blocked', /\(HTTP 405\)/, /router has panicked/],
    [401, 'unknown', /lets no request of this process through \(HTTP 401\)/, /Send a request/],
    [204, 'blocked', /answered by something else \(HTTP 204\)/, /Another worker has the route/],
  ] as const)('is told by an answer that is not its own: %i', async (code, kind, why, advice) => {
    const match = { kind, why: expect.stringMatching(why), advice: expect.stringMatching(advice) }
    expect(await tryAt(status(code))).toEqual(match)
  })

  it('is told when nothing comes back, or nobody listens', async () => {
    expect(await tryAt(() => undefined)).toMatchObject({
      kind: 'blocked',
      why: expect.stringMatching(/neither here nor back/),
    })
    const nobody = {
      trigger: async () => ({ value: { host: '127.0.0.1', port: 1 } }) as never,
      url: 'ws://127.0.0.1:1/',
    }
    expect(await findRouteReach(nobody, options)).toMatchObject({
      kind: 'blocked',
      why: expect.stringMatching(/nothing answers at http:\/\/127\.0\.0\.1:1, .* \(ECONNREFUSED\)/),
      advice: expect.stringMatching(/tunnel or a container .* under the same number/),
    })
    // Another machine may be reached by other addresses than this one is told.
    const elsewhere = {
      ...nobody,
      trigger: async () => ({ value: { host: 'no-such-host.invalid', port: 1 } }) as never,
    }
    expect(await findRouteReach(elsewhere, options)).toMatchObject({ kind: 'unknown' })
  })

  it('cannot be tried where the engine does not tell its port, and is not so where it has none', async () => {
    expect(await findRouteReach(failing('FORBIDDEN'), options)).toMatchObject({ kind: 'unknown' })
    expect(await findRouteReach(failing('NOT_FOUND', 'wss://example.com/'), options)).toMatchObject({
      kind: 'unknown',
      why: 'the engine is reached through a proxy',
    })
    expect(await findRouteReach(failing('NOT_FOUND'), options)).toMatchObject({
      kind: 'blocked',
      why: 'the engine has no HTTP port: its settings have no entry iii-http',
    })
    await expect(findRouteReach(failing('TIMEOUT'), options)).rejects.toThrow('no')
  })
})

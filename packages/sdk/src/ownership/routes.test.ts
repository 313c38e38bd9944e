import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { createRouteCheck } from './routes.ts'

const routes = [
  { id: 't1', functionId: 'a::get', method: 'GET', path: '/orders/:id' },
  { id: 't2', functionId: 'a::put', method: 'PUT', path: '/orders/:id' },
  { id: 't3', functionId: 'a::root', method: 'POST', path: 'mcp' },
]

/** An HTTP port that answers as `answer` says, with a check of three routes on it. */
async function stage(answer: RequestListener, settings?: (port: number) => unknown) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const log = createRecordedLog()
  const repeated: string[][] = []
  const triggers: object[] = []
  const asked: string[] = []
  const check = createRouteCheck({
    ask: async (functionId) => {
      asked.push(functionId)
      if (functionId !== 'configuration::get') return { registered_triggers: triggers }
      return settings === undefined ? { id: 'iii-http', value: { host: '0.0.0.0', port } } : settings(port)
    },
    engineUrl: 'ws://127.0.0.1:1/',
    registrations: { routes: () => routes, repeatRoutes: (ids) => void repeated.push([...ids]) },
    log,
    requestMs: 5_000,
  })
  return {
    ...check,
    requests,
    repeated,
    triggers,
    asked,
    log,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

const allow =
  (table: Record<string, string>): RequestListener =>
  (request, response) => {
    const methods = table[request.url ?? '']
    response.writeHead(200, methods === undefined ? {} : { allow: methods }).end()
  }

describe('the check of routes', () => {
  it('asks each path once which methods it knows, and calls no function', async () => {
    await using it = await stage(allow({ '/orders/iii-route-check': 'GET,HEAD, PUT', '/mcp': 'POST' }))
    await it.check()
    expect(it.requests.sort()).toEqual(['OPTIONS /mcp', 'OPTIONS /orders/iii-route-check'])
    expect(it.repeated).toEqual([])
    expect(it.log.lines).toEqual([])
  })

  it('registers again what is not routed, once: more would not help', async () => {
    await using it = await stage(allow({ '/orders/iii-route-check': 'GET,HEAD' }))
    await it.check()
    expect(it.repeated).toEqual([['t2', 't3']])
    expect(it.log.messages('info')).toEqual(['routes were gone; registered again'])
    await it.check()
    expect(it.repeated).toHaveLength(1)
    it.reset()
    await it.check()
    expect(it.repeated).toHaveLength(2)
  })

  it('registers it again the next time that it is gone after it was there', async () => {
    let table: Record<string, string> = {}
    await using it = await stage((request, response) => allow(table)(request, response))
    await it.check()
    table = { '/orders/iii-route-check': 'GET,HEAD,PUT', '/mcp': 'POST' }
    await it.check()
    table = {}
    await it.check()
    expect(it.repeated).toEqual([
      ['t1', 't2', 't3'],
      ['t1', 't2', 't3'],
    ])
  })

  it('does nothing where the port is not that of an engine, or cannot be reached', async () => {
    await using other = await stage((_, response) => void response.writeHead(404).end())
    await other.check()
    await using mute = await stage((request) => void request.socket.destroy())
    await mute.check()
    await using unknown = await stage(allow({}), () => ({ error: 'forbidden' }))
    await unknown.check()
    expect([other.repeated, mute.repeated, unknown.repeated]).toEqual([[], [], []])
    expect(unknown.requests).toEqual([])
  })

  it('names once who has bound the same route to another function', async () => {
    await using it = await stage(allow({ '/orders/iii-route-check': 'GET,PUT', '/mcp': 'POST' }))
    const config = { api_path: '/mcp', http_method: 'post' }
    it.triggers.push(
      { id: 'x1', function_id: 'thief::take', worker_name: 'thief', config },
      { id: 'x2', function_id: 'a::root', worker_name: 'twin', config },
      { id: 'x3', function_id: 'b::other', worker_name: 'other', config: { api_path: 'other' } },
      { id: 'x4', function_id: 'b::odd', worker_name: 'other', config: 'odd' },
    )
    await it.check()
    await it.check()
    expect(it.log.messages('warn')).toEqual([
      'the route POST /mcp is bound to the function thief::take of another worker too; the last to register it serves it. Give one of the two another path',
    ])
  })
})

import { until } from '../until.ts'
import type { Bench } from './arena.ts'
import { createHttpCaller } from './http-caller.ts'
import { PAYLOAD } from './payload.ts'

export const bridgeBenches: readonly Bench[] = [
  {
    title: 'bridge: a constant behind an HTTP route of the engine as floor',
    async open(arena) {
      await arena.startWorker('floor-worker.ts', 'floor::echo')
      const { httpUrl, mcpUrl } = arena.stack
      const request = (method: string, params: object = {}) =>
        createHttpCaller(mcpUrl, { jsonrpc: '2.0', id: 1, method, params })
      await until(() => request('ping')().then(() => true), { what: 'the bridge' })
      return [
        { name: 'constant behind a route', run: createHttpCaller(`${httpUrl}/floor`, PAYLOAD) },
        { name: 'ping', run: request('ping') },
        { name: 'tools/list', run: request('tools/list') },
        { name: 'tools/call', run: request('tools/call', { name: 'floor__echo', arguments: PAYLOAD }) },
        { name: 'resources/read', run: request('resources/read', { uri: 'iii://orders' }) },
      ]
    },
  },
]

/** `pnpm bench [engine|bridge|sdk]`: what our parts cost, beside the least that could do the job, in the same run. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { startChild } from '../child.ts'
import { hasFunctions } from '../facts.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import { createHttpCaller } from './http-caller.ts'
import { measure, type Subject } from './measure.ts'
import { formatTable } from './table.ts'

const IN_FLIGHT = [1, 16]
const PAYLOAD = { customer: 'Ada', text: 'x'.repeat(200) }

interface Bench {
  title: string
  subjects(stack: Stack, floorUrl: string): Subject[]
}

const benches: Record<string, Bench> = {
  engine: {
    title: 'engine: a bare Node HTTP server as floor',
    subjects: ({ worker, httpUrl }, floorUrl) => [
      { name: 'bare HTTP server', run: createHttpCaller(floorUrl, PAYLOAD) },
      { name: 'HTTP route of the engine', run: createHttpCaller(`${httpUrl}/floor`, PAYLOAD) },
      { name: 'round trip on the bus', run: () => worker.trigger({ function_id: 'floor::echo', payload: PAYLOAD }) },
    ],
  },
  bridge: {
    title: 'bridge: a constant behind an HTTP route of the engine as floor',
    subjects: ({ httpUrl, mcpUrl }) => [
      { name: 'constant behind a route', run: createHttpCaller(`${httpUrl}/floor`, PAYLOAD) },
      { name: 'ping', run: createHttpCaller(mcpUrl, toRequest('ping')) },
      { name: 'tools/list', run: createHttpCaller(mcpUrl, toRequest('tools/list')) },
      {
        name: 'tools/call',
        run: createHttpCaller(mcpUrl, toRequest('tools/call', { name: 'floor__echo', arguments: PAYLOAD })),
      },
      { name: 'resources/read', run: createHttpCaller(mcpUrl, toRequest('resources/read', { uri: 'iii://orders' })) },
    ],
  },
  sdk: {
    title: 'sdk: a function of the official SDK as floor',
    subjects: ({ worker }) => [
      { name: 'official iii-sdk', run: () => worker.trigger({ function_id: 'official::echo', payload: PAYLOAD }) },
      { name: '@iii/sdk', run: () => worker.trigger({ function_id: 'floor::echo', payload: PAYLOAD }) },
    ],
  },
}

function toRequest(method: string, params: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method, params }
}

const workers = {
  floor: new URL('./floor-worker.ts', import.meta.url),
  official: new URL('./official-worker.ts', import.meta.url),
}

const asked = process.argv.slice(2).filter((word) => word !== '--')
const unknown = asked.find((name) => !(name in benches))
if (unknown === undefined) await run(asked.length > 0 ? asked : Object.keys(benches))
else {
  process.stderr.write(`No benchmark ${unknown}: there are ${Object.keys(benches).join(', ')}\n`)
  process.exitCode = 2
}

async function run(names: readonly string[]): Promise<void> {
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{"ok":true}'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const floorUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  await using stack = await startStack()
  await using _floor = startHere('floor', stack)
  await using _official = startHere('official', stack)
  const ids = ['floor::echo', 'official::echo']
  await until(() => hasFunctions(stack.worker, ids), { what: 'the workers of the benchmark', deadlineMs: 20_000 })
  await until(() => createHttpCaller(stack.mcpUrl, toRequest('ping'))().then(() => true), { what: 'the bridge' })

  for (const name of names) {
    const bench = benches[name]
    if (bench === undefined) continue
    for (const inFlight of IN_FLIGHT) {
      const figures = await measure(bench.subjects(stack, floorUrl), inFlight)
      process.stdout.write(formatTable(bench.title, figures))
    }
  }
  server.close()
  server.closeAllConnections()
}

function startHere(name: keyof typeof workers, { engineUrl }: Stack) {
  return startChild({ name, entry: workers[name], args: ['--url', engineUrl] })
}

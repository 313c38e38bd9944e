import { startMockEngine } from '@iii/mock-engine'
import { startChild } from '../child.ts'
import { ask, connectToEngine, hasFunctions, SKILLS_FUNCTIONS, servesOrders } from '../facts.ts'
import { bridgeProgram, ordersProgram, skillsProgram } from '../programs.ts'
import { openSession, postRequest } from '../raw-client.ts'
import { until } from '../until.ts'
import { INSPECTED, openProbe, type Probe } from './probe.ts'

/** The files that a request enters, sorted, by the process that enters them. */
export type Way = Readonly<Record<'bridge' | 'registry', readonly string[]>>

/** What a client does all the time, and a deep read: through both of our workers to a function. */
export const REQUESTS = {
  'tools/call': { name: 'orders__list', arguments: {} },
  'resources/read': { uri: 'iii://fn/orders/status' },
} as const

export type WalkedMethod = keyof typeof REQUESTS

/** What runs by itself now and then (looks, timers) is entered during some calls, but not during all of so many. */
const CALLS = 8

/** Makes each request on a real stack, whose workers run from their sources. */
export async function walkWays(): Promise<Readonly<Record<WalkedMethod, Way>>> {
  await using engine = await startMockEngine()
  await using control = worker(engine.url)
  const options = { fromSource: true, env: INSPECTED }
  await using registry = startChild({ ...skillsProgram(engine.url), ...options })
  await until(() => hasFunctions(control.worker, SKILLS_FUNCTIONS), { what: 'the registry', deadlineMs: 30_000 })
  await using _orders = startChild(ordersProgram(engine.url))
  await using bridge = startChild({ ...bridgeProgram(engine.url), ...options })
  const mcpUrl = `${engine.httpUrl}/mcp`
  await until(async () => (await ask(mcpUrl, 'ping')) !== undefined, { what: 'the bridge', deadlineMs: 30_000 })
  await until(() => servesOrders(mcpUrl), { what: 'the sample worker' })
  await using bridgeProbe = await openProbe(bridge)
  await using registryProbe = await openProbe(registry)

  const client = await openSession(mcpUrl, {}, '2025-11-25')
  const walk = (method: WalkedMethod) =>
    findWay({ bridge: bridgeProbe, registry: registryProbe }, async () => {
      const [reply] = await postRequest(mcpUrl, client, method, REQUESTS[method]).over
      if (reply?.result === undefined || reply.result['isError'] === true) throw new Error(JSON.stringify(reply))
    })
  return { 'tools/call': await walk('tools/call'), 'resources/read': await walk('resources/read') }
}

/** What is entered by each of several calls. */
async function findWay(probes: Readonly<Record<keyof Way, Probe>>, call: () => Promise<void>): Promise<Way> {
  const names = ['bridge', 'registry'] as const
  // The first one learns what others know already.
  await call()
  const ways: Way[] = []
  while (ways.length < CALLS) {
    // What is done for a call of each moment, as a look at a result is, is done for this one and not for the next.
    await call()
    for (const name of names) await probes[name].entered()
    await call()
    const [bridge, registry] = await Promise.all(names.map(async (name) => [...(await probes[name].entered())].sort()))
    ways.push({ bridge: bridge ?? [], registry: registry ?? [] })
  }
  const always = (name: keyof Way) => ways[0]?.[name].filter((file) => ways.every((way) => way[name].includes(file)))
  return { bridge: always('bridge') ?? [], registry: always('registry') ?? [] }
}

function worker(engineUrl: string) {
  const connection = connectToEngine(engineUrl, 'e2e')
  return { worker: connection, [Symbol.asyncDispose]: () => connection.shutdown() }
}

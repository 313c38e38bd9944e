import { fileURLToPath } from 'node:url'
import { startMockEngine } from '@iii/mock-engine'
import { type ChildOptions, startChild } from '../child.ts'
import { connectToEngine, hasFunctions, requestOnce, SKILLS_FUNCTIONS, servesOrders } from '../facts.ts'
import { bridgeProgram, ordersProgram, skillsProgram } from '../programs.ts'
import { openSession, postRequest } from '../raw-client.ts'
import { until } from '../until.ts'
import { INSPECTED, openProbe, type Probe } from './probe.ts'

/** The files that a request enters, sorted, by the process that enters them. */
export type FilesByProcess = Readonly<Record<'bridge' | 'registry', readonly string[]>>

export interface WalkedWay {
  readonly files: FilesByProcess
  /** The calls by which it comes back into a room that waits for another one. */
  readonly returns: FilesByProcess
}

/** What a client does all the time, and a deep read: through both of our workers to a function. */
export const REQUESTS = {
  'tools/call': { name: 'orders__list', arguments: {} },
  'resources/read': { uri: 'iii://fn/orders/status' },
} as const

export type WalkedMethod = keyof typeof REQUESTS

/** What others have the workers do is entered during some calls, but not during all of so many. */
const CALLS = 8

/** Makes each request on a real stack, whose workers run from their sources. */
export async function walkWays(): Promise<Readonly<Record<WalkedMethod, WalkedWay>>> {
  await using engine = await startMockEngine()
  await using control = worker(engine.url)
  await using registry = startWatched(skillsProgram(engine.url))
  await until(() => hasFunctions(control.worker, SKILLS_FUNCTIONS), { what: 'the registry', deadlineMs: 60_000 })
  await using _orders = startChild(ordersProgram(engine.url))
  await using bridge = startWatched(bridgeProgram(engine.url))
  const mcpUrl = `${engine.httpUrl}/mcp`
  await until(async () => (await requestOnce(mcpUrl, 'ping')) !== undefined, { what: 'the bridge', deadlineMs: 60_000 })
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
async function findWay(
  probes: Readonly<Record<keyof FilesByProcess, Probe>>,
  call: () => Promise<void>,
): Promise<WalkedWay> {
  const ways: WalkedWay[] = []
  // However slow the machine is, what is known stays fresh, and nothing is looked at once more.
  await Promise.all(Object.values(probes).map((probe) => probe.stopClock()))
  // The first one learns what others know already, and is looked at for all of this moment.
  await call()
  await readProbes(probes)
  while (ways.length < CALLS) {
    await call()
    ways.push(await readProbes(probes))
  }
  const always = (part: keyof WalkedWay, name: keyof FilesByProcess) =>
    ways[0]?.[part][name].filter((file) => ways.every((way) => way[part][name].includes(file))) ?? []
  const both = (part: keyof WalkedWay) => ({ bridge: always(part, 'bridge'), registry: always(part, 'registry') })
  return { files: both('files'), returns: both('returns') }
}

/** What has been entered since it was asked last. */
async function readProbes({ bridge, registry }: Readonly<Record<keyof FilesByProcess, Probe>>): Promise<WalkedWay> {
  const read = (probe: Probe) => Promise.all([probe.entered(), probe.returns()])
  const [[ownFiles, ownReturns], [files, returns]] = await Promise.all([read(bridge), read(registry)])
  return { files: { bridge: ownFiles, registry: files }, returns: { bridge: ownReturns, registry: returns } }
}

function startWatched({ entry, args = [], ...options }: ChildOptions) {
  return startChild({
    ...options,
    entry: new URL('watched.ts', import.meta.url),
    args: [fileURLToPath(entry), ...args],
    fromSource: true,
    env: INSPECTED,
  })
}

function worker(engineUrl: string) {
  const connection = connectToEngine(engineUrl, 'e2e')
  return { worker: connection, [Symbol.asyncDispose]: () => connection.shutdown() }
}

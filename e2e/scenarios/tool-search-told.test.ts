import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS } from '../clients.ts'
import { type ClientHost, connectHost } from '../hosts.ts'
import { stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const FLAGS = ['--tools', 'search']
const UNPINNED = ['otters', 'herons', 'beavers']

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge', 'skills'], bridgeFlags: FLAGS }))
})
afterAll(() => cleanup.run())

const finds = async (host: ClientHost, animal: string) =>
  JSON.stringify((await host.call('search_tools', { query: animal, detail: 'names' })).structuredContent).includes(
    `"${animal}__count"`,
  )
const countTold = ({ heard }: ClientHost) =>
  heard.filter(({ method }) => method === 'notifications/tools/list_changed').length

scenario(['search/told'], 'tools that come and go are told to those alone whose list has them', async () => {
  const hosts = createCleanup()
  const attached = connectHost('client 2.x', stdioBridge(stack.engineUrl, FLAGS))
  const connected = await Promise.all([...CLIENT_KINDS.map((kind) => connectHost(kind, stack.mcpUrl)), attached])
  for (const host of connected) await hosts.use(host).watch('iii://skills')
  for (const animal of UNPINNED) {
    const counts = { description: `Counts the ${animal} at the pond.` }
    stack.worker.registerFunction(`${animal}::count`, () => ({ count: 2 }), counts)
    for (const host of connected) await until(() => finds(host, animal), { what: `${animal} to be found` })
  }
  expect(connected.map(countTold)).toEqual([0, 0, 0, 0])
  const pinned = stack.worker.registerFunction('badgers::dig', () => ({}), { metadata: { 'mcp.pin': true } })
  for (const host of connected) {
    await until(() => countTold(host) > 0, { what: 'badgers__dig to be told' })
    expect(await host.listTools()).toContain('badgers__dig')
  }
  pinned.unregister()
  for (const host of connected) await until(() => countTold(host) > 1, { what: 'its end to be told' })
  expect(connected.map(countTold)).toEqual([2, 2, 2, 2])
  await hosts.run()
})

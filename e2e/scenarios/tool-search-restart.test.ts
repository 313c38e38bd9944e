import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS } from '../clients.ts'
import { type ClientHost, connectHost } from '../hosts.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { createTwins } from '../twins.ts'
import { until } from '../until.ts'

const FLAGS = ['--tools', 'search']

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'], bridgeFlags: FLAGS }))
  stack.worker.registerFunction('parcels::weigh', () => ({ grams: 7 }), { description: 'Weighs a parcel.' })
  await stack.worker.ready()
})
afterAll(() => cleanup.run())

const finds = async (host: ClientHost, query: string, name: string) =>
  JSON.stringify((await host.call('search_tools', { query, detail: 'names' })).structuredContent).includes(`"${name}"`)

scenario(
  ['search/restart'],
  'search and calls go on after a restart of the bridge, beside a second one, and when the first is killed',
  async () => {
    const hosts = createCleanup()
    const connected = await Promise.all(CLIENT_KINDS.map((kind) => connectHost(kind, stack.mcpUrl)))
    for (const host of connected) hosts.use(host)
    const goesOn = async () => {
      for (const host of connected) {
        await until(() => finds(host, 'weighs a parcel', 'parcels__weigh').catch(() => false), {
          what: 'it to be found',
        })
        const { structuredContent } = await host.call('call_tool', { name: 'parcels__weigh' })
        expect(structuredContent).toEqual({ grams: 7 })
        expect(await host.listTools()).not.toContain('parcels__weigh')
      }
    }
    await goesOn()
    await stack.stop('mcp')
    await stack.startBridge()
    await goesOn()
    const bridges = cleanup.use(createTwins(stack, 'mcp', { flags: FLAGS }))
    await bridges.add()
    await goesOn()
    await bridges.kill()
    await bridges.takesOver()
    await goesOn()
    await hosts.run()
  },
)

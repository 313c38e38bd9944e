import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS, type ConnectedClient } from '../clients.ts'
import { connectToEngine, hasFunctions, requestOnce, SKILLS_FUNCTIONS, servesOrders } from '../facts.ts'
import { measureBest } from '../measure-best.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const SECOND = 1_000

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  const data = cleanup.use(await createTempFolder())
  stack = cleanup.use(await startStack({ dataDir: data.path }))
})
afterAll(() => cleanup.run())

async function connectAll(use: (resource: ConnectedClient) => ConnectedClient): Promise<ConnectedClient[]> {
  return await Promise.all(CLIENT_KINDS.map(async (kind) => use(await stack.connect(kind))))
}

async function createOrder(client: ConnectedClient, customer: string): Promise<string> {
  const order = { customer, currency: 'EUR', lines: [{ sku: 'TEA', quantity: 1, unit_price: 1 }] }
  const result = await client.callTool('orders__create', order)
  return (result.structuredContent as { id: string }).id
}

/** A file of a skill, which is read as it was registered. */
const FILE = { uri: 'skill://filed/notes/Note (1).bin', base64: Buffer.from([0, 255, 10]).toString('base64') }

async function registerFile(): Promise<void> {
  const skill = '---\nname: filed\ndescription: Has a file.\n---\n'
  const files = [{ path: 'notes/Note (1).bin', base64: FILE.base64 }]
  await stack.worker.trigger({ function_id: 'skills::register', payload: { id: 'filed', skill, files } })
}

scenario(['restart/bridge'], 'clients go on with their sessions after the bridge was restarted', async () => {
  const clients = createCleanup()
  const connected = await connectAll(clients.use)
  const [first] = connected
  if (first === undefined) throw new Error('no client')
  const id = await createOrder(first, 'Before')
  await stack.stop('mcp')
  await stack.startBridge()
  for (const client of connected) {
    expect((await client.callTool('orders__get', { order_id: id })).structuredContent).toMatchObject({
      customer: 'Before',
    })
    expect((await client.listTools()).map(({ name }) => name)).toContain('orders__create')
  }
  await clients.run()
})

scenario(['restart/bridge'], 'a bridge that was killed is followed by one that takes its sessions over', async () => {
  await using client = await stack.connect('sdk 1.x')
  stack.children.get('mcp')?.signal('SIGKILL')
  await stack.children.get('mcp')?.exited
  await stack.startBridge()
  expect((await client.listTools()).map(({ name }) => name)).toContain('orders__create')
})

scenario(
  ['restart/engine'],
  'after a restart of the engine all workers and all stored content are there again',
  async () => {
    const clients = createCleanup()
    const connected = await connectAll(clients.use)
    const [first] = connected
    if (first === undefined) throw new Error('no client')
    const id = await createOrder(first, 'Kept')
    await registerFile()
    await stack.stop('engine')
    await stack.startEngine()
    // The bridge may be back before the sample worker, and lists until then what it knew.
    const isBack = async () => (await servesOrders(stack.mcpUrl)) && !(await first.callTool('orders__list')).isError
    await until(isBack, { what: 'everything to be served again', deadlineMs: 25_000 })
    for (const client of connected) {
      expect((await client.callTool('orders__get', { order_id: id })).structuredContent).toMatchObject({
        customer: 'Kept',
      })
      expect((await client.readResource('iii://orders/refunds'))[0]?.text).toContain('# Refunds')
      expect((await client.readResource(encodeURI(FILE.uri)))[0]).toMatchObject({ blob: FILE.base64 })
      expect((await client.getPrompt('refund-order', { order_id: id })).messages).toHaveLength(1)
    }
    await clients.run()
  },
)

scenario(
  ['restart/second'],
  'the same processes are registered again within a second of the port of the engine being open',
  async () => {
    const before = [...stack.children.values()].map(({ pid }) => pid)
    const measureOnce = async () => {
      await stack.stop('engine')
      await stack.startEngine()
      const openAt = performance.now()
      await using control = connectToEngine(stack.engineUrl, 'probe')
      const ids = [...SKILLS_FUNCTIONS, 'mcp::handler', 'mcp::changed', 'orders::status']
      const isThere = async () =>
        (await hasFunctions(control, ids)) && (await requestOnce(stack.mcpUrl, 'ping')) !== undefined
      await until(isThere, { what: 'everything to be registered again' })
      return performance.now() - openAt
    }
    expect(await measureBest(SECOND, measureOnce)).toBeLessThanOrEqual(SECOND)
    expect([...stack.children.values()].filter(({ running }) => running).map(({ pid }) => pid)).toEqual(before)
  },
)

import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS } from '../clients.ts'
import { hasFunctions } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack
const ran: string[] = []

const fetchOf = (uri: string) => ({ function_id: 'skill::fetch', payload: { uri } })

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
  const entry = new URL('../official-worker/main.ts', import.meta.url)
  cleanup.use(startChild({ name: 'demo', entry, args: [stack.engineUrl] }))
  const { worker } = stack
  worker.registerFunction('circle::plain', () => {
    ran.push('plain')
    return worker.trigger(fetchOf('iii://fn/circle/plain'))
  })
  worker.registerFunction('circle::official', () => {
    ran.push('official')
    const payload = fetchOf('iii://fn/circle/official')
    return worker.trigger({ function_id: 'demo::relay', payload })
  })
  worker.registerFunction('circle::mcp', () => {
    ran.push('mcp')
    const params = { name: 'circle__mcp', arguments: {} }
    const payload = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    return worker.trigger({ function_id: 'mcp::handler', payload })
  })
  await worker.ready({ timeoutMs: 5000 })
  await until(() => hasFunctions(worker, ['demo::relay']), { what: 'the official worker', deadlineMs: 25_000 })
})
afterAll(() => cleanup.run())

const times = (name: string) => ran.splice(0).filter((each) => each === name).length

for (const kind of CLIENT_KINDS) {
  scenario(['gate/circles'], `${kind} reads a section that reads itself, and gets the limit`, async () => {
    await using client = await stack.connect(kind)
    await expect(client.readResource('iii://fn/circle/plain')).rejects.toThrow(/4 is the limit/)
    expect(times('plain')).toBe(4)
  })
}

scenario(['gate/circles'], 'a worker on the official SDK in the circle does not break the count', async () => {
  await using client = await stack.connect('sdk 1.x')
  const [section] = await client.readResource('iii://fn/circle/official')
  expect(section?.text).toMatch(/4 is the limit/)
  expect(times('official')).toBe(4)
})

scenario(['gate/circles'], 'a tool that posts a call of itself to the bridge is told the limit', async () => {
  await using client = await stack.connect('sdk 1.x')
  const { content } = await client.callTool('circle__mcp')
  expect(JSON.stringify(content)).toMatch(/4 is the limit/)
  // A request over HTTP is nobody's step: the count begins with the first message from the bus.
  expect(times('mcp')).toBe(5)
})

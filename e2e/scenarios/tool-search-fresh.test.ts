import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import { connectWires, toCell, WIRES, type WireClient, type WireClients } from '../wire-clients.ts'

const FLAGS = ['--tools', 'search']

const cleanup = createCleanup()
let stack: Stack
let wires: WireClients

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'], bridgeFlags: FLAGS }))
  wires = cleanup.use(await connectWires(stack, FLAGS))
})
afterAll(() => cleanup.run())

async function find({ ask }: WireClient, query: string): Promise<string[]> {
  const { result } = await ask('tools/call', { name: 'search_tools', arguments: { query, detail: 'names' } })
  const { tools } = (result?.['structuredContent'] ?? { tools: [] }) as { tools: { name: string }[] }
  return tools.map(({ name }) => name)
}

for (const [at, wire] of WIRES.entries()) {
  const [namespace, tool] = [`ferry${at}`, `ferry${at}__board`]
  const call = async () => toCell(await wires.clients[wire].ask('tools/call', { name: tool, arguments: {} }))

  scenario(['search/fresh'], `${wire}: what can be called is found, and what is gone is not`, async () => {
    const client = wires.clients[wire]
    expect(await call()).toMatch(/^-32602 Unknown tool/)
    expect(await find(client, 'embark passengers')).toEqual([])
    const embark = { description: 'Embark passengers' }
    const registration = stack.worker.registerFunction(`${namespace}::board`, () => 'on board', embark)
    await until(async () => (await call()) === 'allowed', { what: `${tool} to be called` })
    expect(await find(client, 'embark passengers')).toEqual([tool])
    registration.unregister()
    await until(async () => /^-32602 Unknown tool/.test(await call()), { what: `${tool} to be gone` })
    expect(await find(client, 'embark passengers')).toEqual([])
  })

  scenario(['search/fresh'], `${wire}: what is described anew is found by its new words alone`, async () => {
    const client = wires.clients[wire]
    const sail = () => 'sailed'
    const registration = stack.worker.registerFunction(`${namespace}::sail`, sail, { description: `Lighthouse${at}` })
    await until(async () => (await find(client, `lighthouse${at}`)).length === 1, { what: 'it to be found' })
    registration.replace(sail, { description: `Harbour${at}` })
    await until(async () => (await find(client, `harbour${at}`)).length === 1, { what: 'its new words to be found' })
    expect(await find(client, `lighthouse${at}`)).toEqual([])
    registration.unregister()
  })
}

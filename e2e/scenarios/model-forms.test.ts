import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS } from '../clients.ts'
import { connectHost } from '../hosts.ts'
import { stdioBridge } from '../programs.ts'
import { postStateless } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { isSearchMode, readFoundTools, toListedCall, toShowing } from '../search-mode.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import { connectWires, WIRES, type WireClients } from '../wire-clients.ts'

const cleanup = createCleanup()
let stack: Stack
let wires: WireClients

const address = {
  type: 'object',
  properties: { street: { type: 'string', maxLength: 200 }, country: { type: 'string', pattern: '^[A-Z]{2}$' } },
  required: ['street', 'country'],
}
const parcel = { type: 'object', properties: { from: address, to: address } }
const home = { country: 'GB', street: '7 Lovelace Lane' }
const data = { from: home, to: home }

beforeAll(async () => {
  stack = cleanup.use(await startStack())
  const form = { request_format: parcel, response_format: parcel }
  stack.worker.registerFunction('model::send', () => data, form)
  stack.worker.registerFunction('model::sent_later', () => data, { ...form, metadata: { 'mcp.task': 'optional' } })
  await stack.worker.ready()
  wires = cleanup.use(await connectWires(stack))
})
afterAll(() => cleanup.run())

interface Listed {
  readonly name: string
  readonly inputSchema: object
  readonly outputSchema?: object
}

for (const wire of WIRES) {
  scenario(['model/shared-parts'], `a repeated part is listed as the revision allows it: ${wire}`, async () => {
    const find = async () => {
      const { result } = await wires.clients[wire].ask(...toShowing('model send'))
      return readFoundTools<Listed>(result).find(({ name }) => name === 'model__send')
    }
    const tool = await until(find, { what: 'model__send to be listed' })
    const $ref = '#/$defs/from'
    const shared = { type: 'object', properties: { from: { $ref }, to: { $ref } }, $defs: { from: address } }
    const expected = wire.endsWith('2026-07-28') ? shared : parcel
    // A search tells the arguments alone.
    expect([tool?.inputSchema, tool?.outputSchema]).toEqual([expected, isSearchMode() ? undefined : expected])
  })
}

for (const kind of CLIENT_KINDS) {
  for (const transport of ['HTTP', 'stdio'] as const) {
    scenario(
      ['model/data-alone', 'model/shared-parts'],
      `${kind} over ${transport} has what it declares that it reads, and takes the data`,
      async () => {
        const target = transport === 'HTTP' ? stack.mcpUrl : stdioBridge(stack.engineUrl)
        await using reader = await connectHost(kind, target, { readsData: true })
        // From then on the client holds data against the schema.
        const called = toListedCall('model__send', data).name
        expect(await reader.listTools()).toContain(called)
        expect(await reader.call('model__send', data)).toMatchObject({
          content: [{ type: 'text', text: 'The result is in structuredContent.' }],
          structuredContent: data,
        })
        await using other = await connectHost(kind, target)
        expect(await other.call('model__send', data)).toMatchObject({
          content: [{ type: 'text', text: JSON.stringify(data) }],
          structuredContent: data,
        })
      },
    )
  }
}

scenario(['model/data-alone'], 'what comes of a task is told to each as it reads it', async () => {
  const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const reader = { ...tasks, experimental: { 'iii/structured-content': {} } }
  const ask = async (method: string, params: Record<string, unknown>, capabilities: object) => {
    using reply = postStateless(stack.mcpUrl, method, params, capabilities)
    return (await reply.over).at(-1)?.result ?? {}
  }
  const { taskId } = await ask('tools/call', { name: 'model__sent_later', arguments: data }, reader)
  const textOf = async (capabilities: object) => {
    const { result } = await ask('tasks/get', { taskId }, capabilities)
    return (result as { content: { text: string }[] } | undefined)?.content[0]?.text
  }
  expect(await until(() => textOf(reader), { what: 'the task to be over' })).toBe('The result is in structuredContent.')
  expect(await textOf(tasks)).toBe(JSON.stringify(data))
})

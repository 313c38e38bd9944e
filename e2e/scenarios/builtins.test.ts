import { afterAll, beforeAll, expect } from 'vitest'
import { CLIENT_KINDS, type ConnectedClient } from '../clients.ts'
import { connectToEngine } from '../facts.ts'
import { connectHost } from '../hosts.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack()
  stack.worker.registerFunction('vault::open', () => 1, { metadata: { 'mcp.expose': false } })
  stack.worker.registerTrigger({ type: 'subscribe', function_id: 'vault::open', config: { topic: 'vault' } })
  stack.worker.registerFunction('lamp::switch', () => 1, { description: 'Switches the lamp' })
  stack.worker.registerTrigger({
    type: 'http',
    function_id: 'lamp::switch',
    config: { api_path: '/e2e-lamp', http_method: 'POST', condition_function_id: 'vault::open' },
  })
  await stack.worker.ready()
})
afterAll(() => stack?.[Symbol.asyncDispose]())

async function read(client: ConnectedClient, uri: string): Promise<{ text: string; rows: Record<string, unknown>[] }> {
  const [page] = await client.readResource(uri)
  expect(page).toMatchObject({ uri, mimeType: 'application/json' })
  const text = page?.text ?? ''
  return { text, rows: JSON.parse(text) as Record<string, unknown>[] }
}

for (const kind of CLIENT_KINDS) {
  scenario(['engine-resources/read'], `${kind} reads what is on the engine, and one item of it`, async () => {
    await using client = await stack.connect(kind)
    const uris = (await client.listResources()).map(({ uri }) => uri)
    expect(uris.slice(-4)).toEqual(['iii://functions', 'iii://workers', 'iii://triggers', 'iii://context'])
    const templates = (await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)
    expect(templates).toContain('iii://functions/{id}')
    const isThere = async () =>
      (await read(client, 'iii://functions')).rows.find(({ function_id }) => function_id === 'lamp::switch')
    const lamp = await until(isThere, { what: 'the function in the list', deadlineMs: 5000 })
    expect(lamp).toMatchObject({ description: 'Switches the lamp' })
    expect((await read(client, 'iii://functions/lamp::switch')).rows).toEqual(lamp)
    expect((await read(client, 'iii://workers/orders')).rows).toMatchObject({
      name: 'orders',
      functions: expect.arrayContaining(['orders::create', 'orders::report']),
    })
    const { rows } = await read(client, 'iii://triggers')
    expect(rows.find(({ function_id }) => function_id === 'lamp::switch')).toMatchObject({
      trigger_type: 'http',
      config: { api_path: '/e2e-lamp', http_method: 'POST' },
    })
    expect((await read(client, 'iii://context')).rows).toMatchObject({ function_id_delimiter: '::' })
    await expect(client.readResource('iii://workers/nobody')).rejects.toThrow('Resource not found')
  })

  scenario(['engine-resources/hidden'], `${kind} reads nothing there that is hidden`, async () => {
    await using client = await stack.connect(kind)
    for (const uri of ['iii://functions', 'iii://workers', 'iii://triggers']) {
      const { text } = await read(client, uri)
      expect(text).not.toMatch(/vault|state::|mcp::|skills::register|engine::|iii_instance|ip_address|"pid"/)
    }
    await expect(client.readResource('iii://functions/vault::open')).rejects.toThrow('is not exposed')
    await expect(client.readResource('iii://functions/state::get')).rejects.toThrow('internal namespace')
  })

  scenario(['engine-resources/live'], `${kind} hears that a worker came, and reads what it brought`, async () => {
    await using host = await connectHost(kind, stack.mcpUrl)
    await host.watch('iii://workers')
    const newcomer = connectToEngine(stack.engineUrl, 'newcomer')
    await using _ = { [Symbol.asyncDispose]: () => newcomer.shutdown() }
    newcomer.registerFunction('newcomer::hello', () => 'hi')
    await newcomer.ready()
    const isNews = ({ method, params }: (typeof host.heard)[number]) =>
      method === 'notifications/resources/updated' && params?.['uri'] === 'iii://workers'
    await until(() => host.heard.some(isNews), { what: `${kind} to hear of it`, deadlineMs: 5000 })
    await using client = await stack.connect(kind)
    expect((await read(client, 'iii://workers/newcomer')).rows).toMatchObject({ functions: ['newcomer::hello'] })
  })
}

scenario(['builtins/off'], 'with --no-builtins there is only what others registered', async () => {
  await stack.stop('mcp')
  await stack.startBridge(['--no-builtins'])
  for (const kind of CLIENT_KINDS) {
    await using client = await stack.connect(kind)
    const uris = (await client.listResources()).map(({ uri }) => uri)
    expect(uris).toEqual(['iii://skills', 'iii://orders', 'iii://orders/refunds'])
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual(['refund-order'])
    await expect(client.readResource('iii://functions')).rejects.toThrow('is disabled on this server')
    await expect(client.getPrompt('event-pipeline')).rejects.toThrow("Prompt 'event-pipeline' is disabled")
  }
})

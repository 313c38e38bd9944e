import { createServer } from 'node:net'
import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startStdioBridge } from '../testing/stdio-bridge.ts'
import { untilAnswer } from '../testing/until.ts'

const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '9' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const SILENT = createLog({ name: 'other', level: 'silent' })

function readSubscription(params: Record<string, unknown> = {}): unknown {
  return (params['_meta'] as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/subscriptionId']
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('while the engine is away', () => {
  it('initialize is answered at once, lists after three seconds with what there is, and a call with the address', async () => {
    await using client = startStdioBridge('ws://somebody:secret@127.0.0.1:9/?token=hidden')
    const startedAt = performance.now()
    await client.open()
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    const [tools, prompts, call, read, after] = await Promise.all([
      client.result('tools/list'),
      client.result('prompts/list', { _meta: CLAIM }),
      client.result('tools/call', { name: 'orders__create' }),
      client.request('resources/read', { uri: 'iii://skills' }),
      client.request('ping').then(() => performance.now() - startedAt),
    ])
    expect(performance.now() - startedAt).toBeGreaterThan(2_900)
    expect(after).toBeLessThan(2_500)
    expect([tools, prompts]).toMatchObject([{ tools: [] }, { prompts: [], resultType: 'complete' }])
    const text = expect.stringMatching(
      /The iii engine at ws:\/\/127\.0\.0\.1:9\/? cannot be reached\. .* keeps trying .*log of this server/,
    )
    expect(call).toMatchObject({ isError: true, content: [{ type: 'text', text }] })
    expect(read).toMatchObject({ error: { code: -32603, message: text } })
    expect(client.lines.join()).not.toMatch(/secret|hidden|somebody/)
  })

  it('the tools that end what a client has started need no engine', async () => {
    await using client = startStdioBridge('ws://127.0.0.1:9', { options: { noBuiltins: false, allowRun: true } })
    await client.open()
    const calls = ['iii_worker_stop', 'iii_trigger_unregister'].map((name) =>
      client.result('tools/call', { name, arguments: { id: 'one' } }),
    )
    expect(await Promise.all(calls)).toMatchObject([
      { content: [{ text: 'Error: Worker not found: one' }] },
      { content: [{ text: 'Error: Trigger not found: one' }] },
    ])
  })

  it('lists hold what the bridge has of its own, in both eras', async () => {
    await using client = startStdioBridge('ws://127.0.0.1:9', { options: { noBuiltins: false } })
    await client.open()
    const names = async (method: string, member: string, params: object) =>
      ((await client.result(method, params))[member] as { name: string }[]).map(({ name }) => name)
    const lists = (params: object) =>
      Promise.all([
        names('tools/list', 'tools', params),
        names('prompts/list', 'prompts', params),
        names('resources/list', 'resources', params),
        names('resources/templates/list', 'resourceTemplates', params),
      ])
    for (const found of await Promise.all([lists({}), lists({ _meta: CLAIM })])) {
      expect(found.map((list) => list.length)).toEqual([6, 4, 4, 3])
      expect(found.map(([first]) => first)).toEqual([
        'iii_worker_register',
        'register-function',
        'Functions',
        'Function',
      ])
    }
  })

  it('lists that were given out too early are followed by the news that they have changed, in both eras', async () => {
    const port = await findFreePort()
    await using client = startStdioBridge(`ws://127.0.0.1:${port}`)
    await client.open()
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
    client.send({ id: 'ear', method: 'subscriptions/listen', params: { notifications, _meta: CLAIM } })
    await client.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
    const lists = ['tools/list', 'prompts/list', 'resources/list']
    const _meta = { degraded: expect.any(String) }
    expect(await Promise.all(lists.map((method) => client.result(method)))).toEqual([
      { tools: [] },
      { _meta, prompts: [] },
      { _meta, resources: [] },
    ])
    await using engine = await startMockEngine({ port })
    for (const kind of ['tools', 'prompts', 'resources']) {
      for (const id of [undefined, 'ear']) {
        await client.find(
          ({ method, params }) => method === `notifications/${kind}/list_changed` && readSubscription(params) === id,
        )
      }
    }
    expect(engine.url).toContain(String(port))
    expect((await client.result<{ tools: object[] }>('tools/list')).tools).toEqual([])
  })

  it('the last list stays, and a call made then is made when the engine is back in time', async () => {
    const port = await findFreePort()
    const first = await startMockEngine({ port })
    await using other = registerWorker(first.url, { name: 'other', log: SILENT })
    other.registerFunction('orders::create', () => ({ made: true }))
    await other.ready()
    await using client = startStdioBridge(first.url)
    await client.open()
    const list = await client.result('tools/list')
    await first[Symbol.asyncDispose]()
    await untilAnswer(
      () => client.worker.state,
      (state) => state !== 'connected',
    )
    expect(await client.result('tools/list')).toEqual(list)
    expect(await client.request('prompts/list')).toMatchObject({ error: { message: /cannot be reached/ } })
    await using _second = await startMockEngine({ port })
    await other.ready()
    await untilAnswer(
      () => client.result<{ isError?: boolean }>('tools/call', { name: 'orders__create' }),
      ({ isError }) => isError !== true,
    )
  })
})

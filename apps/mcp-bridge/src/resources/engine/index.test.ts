import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startBridge, stateless, type TestBridge } from '../../testing/bridge.ts'
import { untilAnswer } from '../../testing/until.ts'

type Row = Record<string, unknown>
const WORDS = ['functions', 'workers', 'triggers', 'context']

async function read<T = Row[]>(bridge: TestBridge, uri: string): Promise<T> {
  const { contents } = await bridge.result<{ contents: { text: string }[] }>('resources/read', { uri })
  expect(contents).toEqual([{ uri, mimeType: 'application/json', text: expect.any(String) }])
  return JSON.parse(contents[0]?.text ?? '') as T
}

const refusal = async (bridge: TestBridge, uri: string) => (await bridge.rpc('resources/read', { uri })).message.error

/** A few functions with triggers, some of them hidden. */
async function offer({ other }: TestBridge): Promise<void> {
  const schema = { type: 'object', properties: { sku: { type: 'string' } } }
  other.registerFunction('orders::create', () => 1, {
    description: 'Takes an order',
    request_format: schema,
    metadata: { 'mcp.expose': true, 'mcp.tier': 'user', note: 'between us' },
  })
  other.registerFunction('orders::audit', () => 1, { metadata: { 'mcp.expose': false } })
  other.registerFunction('state::mine', () => 1)
  for (const id of ['orders::create', 'orders::audit', 'state::mine']) {
    other.registerTrigger({ type: 'subscribe', function_id: id, config: { topic: `to.${id}` } })
  }
  await other.ready()
}

describe('what there is on the engine', () => {
  it('is listed behind everything else, page by page and as templates', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { resources } = await bridge.result<{ resources: Row[] }>('resources/list')
    expect(resources.map(({ uri, name, mimeType }) => [uri, name, mimeType])).toEqual([
      ['iii://functions', 'Functions', 'application/json'],
      ['iii://workers', 'Workers', 'application/json'],
      ['iii://triggers', 'Triggers', 'application/json'],
      ['iii://context', 'Context', 'application/json'],
    ])
    const { resourceTemplates } = await bridge.result<{ resourceTemplates: Row[] }>('resources/templates/list')
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'iii://functions/{id}',
      'iii://workers/{id}',
      'iii://triggers/{id}',
    ])
  })

  it('is read without anything that the gate hides', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await offer(bridge)
    expect(await read(bridge, 'iii://functions')).toEqual([
      {
        function_id: 'orders::create',
        description: 'Takes an order',
        request_format: { type: 'object', properties: { sku: { type: 'string' } } },
        response_format: null,
        metadata: { 'mcp.expose': true, 'mcp.tier': 'user' },
      },
    ])
    expect(await read(bridge, 'iii://workers')).toMatchObject([
      { name: 'other', status: 'connected', runtime: 'node', function_count: 1, functions: ['orders::create'] },
    ])
    expect(await read(bridge, 'iii://triggers')).toEqual([
      {
        id: expect.any(String),
        trigger_type: 'subscribe',
        function_id: 'orders::create',
        config: { topic: 'to.orders::create' },
      },
    ])
  })

  it('is told of the server too: how it names functions and which it shows', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { tier: 'user' } })
    const context = { sdk_version: '1.2.3', function_id_delimiter: '::', tool_name_delimiter: '__' }
    expect(await read(bridge, 'iii://context')).toEqual({
      ...context,
      metadata_filtering: { 'mcp.expose': true, 'mcp.tier': 'user' },
    })
    bridge.set({ tier: undefined })
    expect(await read(bridge, 'iii://context')).toEqual({ ...context, metadata_filtering: { 'mcp.expose': false } })
  })

  it.each<[string, object, string[]]>([
    ['its tier', { tier: 'ops' }, []],
    ['hidden prefixes', { hiddenPrefixes: ['orders::', 'plain'] }, []],
    ['mcp.expose', { requireExpose: true }, ['orders::create']],
  ])('follows what the operator says of %s at once', async (_, options, ids) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await offer(bridge)
    bridge.other.registerFunction('plain::one', () => 1)
    await bridge.other.ready()
    bridge.set(options)
    const rows = await read(bridge, 'iii://functions')
    expect(rows.map(({ function_id }) => function_id)).toEqual(ids)
    expect((await read(bridge, 'iii://triggers')).map(({ function_id }) => function_id)).toEqual(ids)
    expect((await read(bridge, 'iii://workers')).flatMap(({ functions }) => functions)).toEqual(ids)
  })

  it('holds what came a moment ago, and is cut when it is very large', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const large = { type: 'object', description: 'x'.repeat(400_000) }
    for (const id of ['a::1', 'a::2', 'a::3']) bridge.other.registerFunction(id, () => 1, { request_format: large })
    bridge.other.registerFunction('b::small', () => 1)
    await bridge.other.ready()
    const rows = await untilAnswer(
      () => read(bridge, 'iii://functions'),
      (found) => found.length === 4,
    )
    expect(rows.map((row) => row['function_id'] ?? row)).toEqual(['a::1', 'a::2', 'b::small', { left_out: 1 }])
    expect(await read<Row>(bridge, 'iii://functions/a::3')).toMatchObject({ request_format: large })
  })

  it('is asked for once, however many read', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await offer(bridge)
    const asked: string[] = []
    const trigger = bridge.worker.trigger.bind(bridge.worker)
    bridge.worker.trigger = (request) => {
      asked.push(request.function_id)
      return trigger(request)
    }
    await Promise.all(Array.from({ length: 50 }, () => read(bridge, 'iii://triggers')))
    // Fewer than the readers, also where a busy machine takes several times as long as an answer counts.
    expect(asked.filter((id) => id === 'engine::registered-triggers::list').length).toBeLessThan(25)
    expect(asked.filter((id) => id === 'engine::functions::list').length).toBeLessThan(25)
  })
})

describe('a single item', () => {
  it('is what its page says of it', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await offer(bridge)
    for (const word of ['functions', 'workers', 'triggers']) {
      const [row = {}] = await read(bridge, `iii://${word}`)
      const id = String(row['id'] ?? row['function_id'])
      expect(await read(bridge, `iii://${word}/${id}`)).toEqual(row)
      expect(await read(bridge, `iii://${word}/${encodeURIComponent(id)}`)).toEqual(row)
    }
    expect(await read(bridge, 'iii://workers/other')).toMatchObject({ name: 'other' })
  })

  it.each([
    [
      'iii://functions/no::body',
      "Function 'no::body' is not registered on the engine. iii://functions has all of them",
    ],
    ['iii://workers/nobody', 'Resource not found: iii://workers/nobody. iii://workers has all of them'],
    ['iii://triggers/none', 'Resource not found: iii://triggers/none. iii://triggers has all of them'],
    ['iii://context/x', 'Resource not found: iii://context/x'],
    ['iii://functions/', 'Resource not found: iii://functions/'],
    ['iii://functions/%', 'Resource not found: iii://functions/%'],
  ])('that is not there has the code of the era: %s', async (uri, message) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    expect(await refusal(bridge, uri)).toEqual({ code: -32002, message, data: { uri } })
    const { meta, headers } = stateless('resources/read', uri)
    const modern = await bridge.rpc('resources/read', { uri, _meta: meta }, headers)
    expect(modern.message.error).toEqual({ code: -32602, message, data: { uri } })
  })

  it('that is hidden says what hides it, and nothing else', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { hiddenPrefixes: ['audit'] } })
    await offer(bridge)
    for (const [id, reason] of [
      ['orders::audit', /is not exposed via mcp.expose metadata/],
      ['state::mine', /internal namespace/],
      ['audit::x', /is disabled on this server/],
    ] as const) {
      const uri = `iii://functions/${id}`
      const error = await refusal(bridge, uri)
      expect(error).toEqual({ code: -32602, message: expect.stringMatching(reason), data: { uri } })
    }
    const triggers = await bridge.other.trigger<{ registered_triggers: Row[] }>({
      function_id: 'engine::registered-triggers::list',
      payload: { function_id: 'orders::audit' },
    })
    const uri = `iii://triggers/${String(triggers.registered_triggers[0]?.['id'])}`
    expect(await refusal(bridge, uri)).toMatchObject({ code: -32002, data: { uri } })
  })

  it('is completed by what was typed of it', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await offer(bridge)
    const complete = async (word: string, value: string, name = 'id') => {
      const ref = { type: 'ref/resource', uri: `iii://${word}/{id}` }
      const { completion } = await bridge.result<{ completion: { values: string[] } }>('completion/complete', {
        ref,
        argument: { name, value },
      })
      return completion.values
    }
    expect(await complete('functions', 'crea')).toEqual(['orders::create'])
    expect(await complete('functions', 'audit')).toEqual([])
    expect(await complete('workers', 'OTH')).toEqual(['other'])
    expect(await complete('triggers', '')).toHaveLength(1)
    expect(await complete('functions', '', 'other')).toEqual([])
  })
})

describe('--no-builtins', () => {
  it('hides all of it, in lists, reads, subscriptions and completion, while the bridge runs', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    await offer(bridge)
    expect(await refusal(bridge, 'iii://context')).toBeUndefined()
    bridge.set({ noBuiltins: true })
    expect(await bridge.result('resources/list')).toMatchObject({ resources: [] })
    expect(await bridge.result('resources/templates/list')).toMatchObject({ resourceTemplates: [] })
    for (const uri of [...WORDS.map((word) => `iii://${word}`), 'iii://functions/orders::create']) {
      const message = `Resource '${uri}' is disabled on this server`
      expect(await refusal(bridge, uri)).toEqual({ code: -32602, message, data: { uri } })
    }
    const ref = { type: 'ref/resource', uri: 'iii://functions/{id}' }
    const { message } = await bridge.rpc('completion/complete', { ref, argument: { name: 'id', value: '' } })
    expect(message.error).toMatchObject({ code: -32602 })
  })
})

describe('an engine that does not answer', () => {
  it('is an error, never an empty page', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const trigger = bridge.worker.trigger.bind(bridge.worker)
    bridge.worker.trigger = (request) =>
      request.function_id === 'engine::functions::list' ? Promise.resolve({} as never) : trigger(request)
    for (const word of ['functions', 'workers', 'triggers']) {
      expect(await refusal(bridge, `iii://${word}`)).toMatchObject({ code: -32603 })
    }
  })
})

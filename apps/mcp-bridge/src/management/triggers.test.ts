import { startMockEngine } from '@iii/mock-engine'
import { registerWorker, type Worker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { startManaged } from '../testing/managed-bridge.ts'
import { untilAnswer } from '../testing/until.ts'

async function offerOrders(url: string): Promise<{ other: Worker; heard: unknown[] }> {
  const other = registerWorker(url, { name: 'other' })
  const heard: unknown[] = []
  other.registerFunction('orders::note', (input) => {
    heard.push(input)
    return { status_code: 200, body: { noted: true } }
  })
  await other.ready()
  return { other, heard }
}

interface Row {
  readonly trigger_type: string
  readonly config: unknown
}

async function listTriggers(other: Worker): Promise<Row[]> {
  const payload = { function_id: 'orders::note' }
  const answer = await other.trigger<{ registered_triggers: Row[] }>({
    function_id: 'engine::registered-triggers::list',
    payload,
  })
  return answer.registered_triggers
}

const register = (trigger_type: string, config: object) =>
  ['iii_trigger_register', { trigger_type, function_id: 'orders::note', config }] as const

describe('a trigger that a client attaches', () => {
  it('is in force at once, until it is detached', async () => {
    await using engine = await startMockEngine()
    const { other } = await offerOrders(engine.url)
    await using managed = await startManaged(engine.url)
    const made = await managed.call(...register('http', { api_path: 'made/:id', http_method: 'post' }))
    expect(made.data).toEqual({ id: expect.any(String), trigger_type: 'http', function_id: 'orders::note' })
    const post = () => fetch(`${engine.httpUrl}/made/7`, { method: 'POST' })
    expect(await (await post()).json()).toEqual({ noted: true })
    const { id } = made.data
    expect((await managed.call('iii_trigger_unregister', { id })).data).toEqual({ id, message: 'Unregistered' })
    await untilAnswer(post, ({ status }) => status === 404)
    expect((await managed.call('iii_trigger_unregister', { id })).text).toBe(`Error: Trigger not found: ${String(id)}`)
    await other.shutdown()
  })

  it('for a queue is one for a topic, and a cron has six fields', async () => {
    await using engine = await startMockEngine()
    const { other } = await offerOrders(engine.url)
    await using managed = await startManaged(engine.url)
    expect((await managed.call(...register('queue', { topic: 'orders' }))).data).toMatchObject({
      trigger_type: 'queue',
    })
    expect((await managed.call(...register('cron', { expression: '0 0 0 1 1 *' }))).isError).toBe(false)
    expect(await listTriggers(other)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ trigger_type: 'durable:subscriber', config: { topic: 'orders' } }),
        expect.objectContaining({ trigger_type: 'cron', config: { expression: '0 0 0 1 1 *' } }),
      ]),
    )
    await other.shutdown()
  })

  it('is news to whoever subscribed to what triggers there are, at once', async () => {
    await using engine = await startMockEngine()
    const { other } = await offerOrders(engine.url)
    await using managed = await startManaged(engine.url)
    const { bridge } = managed
    await bridge.result('resources/subscribe', { uri: 'iii://triggers' })
    const news = () => bridge.messages.filter(({ method }) => method === 'notifications/resources/updated').length
    const { id } = (await managed.call(...register('queue', { topic: 'orders' }))).data
    await untilAnswer(news, (count) => count === 1)
    await managed.call('iii_trigger_unregister', { id })
    await untilAnswer(news, (count) => count === 2)
    await other.shutdown()
  })

  it('is detached when the settings hide what it calls, and says so', async () => {
    await using engine = await startMockEngine()
    const { other } = await offerOrders(engine.url)
    await using managed = await startManaged(engine.url)
    const { id } = (await managed.call(...register('queue', { topic: 'orders' }))).data
    managed.bridge.set({ hiddenPrefixes: ['unrelated::'] })
    await managed.bridge.result('tools/list')
    expect(await listTriggers(other)).toHaveLength(1)
    managed.bridge.set({ hiddenPrefixes: ['orders::'] })
    await untilAnswer(
      () => listTriggers(other),
      (rows) => rows.length === 0,
    )
    expect((await managed.call('iii_trigger_unregister', { id })).text).toMatch(
      /^Error: Trigger not found: .* \(it was detached: Function 'orders::note' is disabled on this server/,
    )
    await other.shutdown()
  })

  it('is detached when the settings give its client a grant that hides what it calls', async () => {
    await using engine = await startMockEngine()
    const { other } = await offerOrders(engine.url)
    await using managed = await startManaged(engine.url)
    await managed.call(...register('queue', { topic: 'orders' }))
    managed.bridge.set({ auth: AuthBlock.parse({ grants: { ops: { tiers: ['ops'] } }, stdio: { grant: 'ops' } }) })
    await untilAnswer(
      () => listTriggers(other),
      (rows) => rows.length === 0,
    )
    await other.shutdown()
  })

  it('is detached while the engine is away, and stays so', async () => {
    const first = await startMockEngine()
    const { other } = await offerOrders(first.url)
    await using managed = await startManaged(first.url)
    const { id } = (await managed.call(...register('queue', { topic: 'orders' }))).data
    await first.close()
    expect((await managed.call('iii_trigger_unregister', { id })).data).toEqual({ id, message: 'Unregistered' })
    await using _second = await startMockEngine({ port: Number(new URL(first.url).port) })
    await Promise.all([other.ready(), managed.bridge.worker.ready()])
    expect(await listTriggers(other)).toEqual([])
    await other.shutdown()
  })

  it('leaves with the bridge', async () => {
    await using engine = await startMockEngine()
    const { other } = await offerOrders(engine.url)
    const managed = await startManaged(engine.url)
    await managed.call(...register('queue', { topic: 'orders' }))
    expect(await listTriggers(other)).toHaveLength(1)
    await managed[Symbol.asyncDispose]()
    await untilAnswer(
      () => listTriggers(other),
      (rows) => rows.length === 0,
    )
    await other.shutdown()
  })

  it.each<[string, string, object, RegExp]>([
    [
      'with five fields',
      'cron',
      { expression: '*/5 * * * *' },
      /has 5 fields; .* so this one is '0 \*\/5 \* \* \* \*'/,
    ],
    ['with a word', 'cron', { expression: 'daily' }, /has 1 fields; here it has six/],
    ['without an expression', 'cron', {}, /needs an expression/],
    ['that the engine cannot read', 'cron', { expression: '99 * * * * *' }, /The engine did not take the trigger: /],
    ['without a topic', 'queue', { queue: 'orders' }, /needs the name of its topic/],
    ['without a path', 'http', {}, /api_path is required/],
    ['that would break the router', 'http', { api_path: '/a/{b}' }, /has the segment '\{b\}'/],
    ['with an unknown method', 'http', { api_path: '/a', http_method: 'BREW' }, /http_method must be one of GET, /],
    [
      'where this server is',
      'http',
      { api_path: 'mcp', http_method: 'POST' },
      /is where this server itself is reached/,
    ],
    ['where a parameter covers it', 'http', { api_path: '/:any' }, /is where this server itself is reached/],
    ['where clients look for it', 'http', { api_path: '/.well-known/x' }, /is reserved/],
    ['where somebody else is', 'http', { api_path: '/taken' }, /GET \/taken is served already/],
    ['beside another name', 'http', { api_path: '/items/:key', http_method: 'POST' }, /name the same parameter differ/],
    [
      'of another type',
      'state',
      { scope: 'x' },
      /trigger_type 'state' cannot be attached here; use http, cron or queue/,
    ],
  ])('%s is refused: %s %j', async (_, type, config, expected) => {
    await using engine = await startMockEngine()
    const { other } = await offerOrders(engine.url)
    for (const api_path of ['/taken', '/items/:id']) {
      other.registerTrigger({ type: 'http', function_id: 'orders::note', config: { api_path } })
    }
    await other.ready()
    await using managed = await startManaged(engine.url)
    const { text, isError } = await managed.call(...register(type, config))
    expect({ text, isError }).toEqual({ text: expect.stringMatching(expected), isError: true })
    expect(await listTriggers(other)).toHaveLength(2)
    await other.shutdown()
  })

  it('does not call the tool that follows addresses', async () => {
    await using engine = await startMockEngine()
    const { other } = await offerOrders(engine.url)
    other.registerFunction('skill::fetch', () => 1)
    await other.ready()
    await using managed = await startManaged(engine.url)
    const input = { trigger_type: 'queue', function_id: 'skill::fetch', config: { topic: 'x' } }
    expect((await managed.call('iii_trigger_register', input)).text).toContain('takes no triggers')
    const fetched = { function_id: 'skill::fetch', payload: { uri: 'iii://fn/state/get' } }
    expect((await managed.call('iii_trigger_void', fetched)).text).toContain('is in an internal namespace')
    await other.shutdown()
  })
})

describe('a call that nobody waits for', () => {
  it('is made, with an empty payload where there is none', async () => {
    await using engine = await startMockEngine()
    const { other, heard } = await offerOrders(engine.url)
    await using managed = await startManaged(engine.url, { options: { allowRun: false } })
    const input = { function_id: 'orders::note', payload: { a: 1 } }
    expect(await managed.call('iii_trigger_void', input)).toMatchObject({
      text: 'Triggered (void): orders::note',
      isError: false,
    })
    await managed.call('iii_trigger_void', { function_id: 'orders::note' })
    await untilAnswer(
      () => heard.length,
      (count) => count === 2,
    )
    expect(heard).toEqual(expect.arrayContaining([expect.objectContaining({ a: 1 })]))
    for (const tool of ['iii_trigger_void', 'iii_trigger_enqueue']) {
      expect((await managed.call(tool, {})).text).toBe('Error: Missing required field: function_id')
      const wrong = { function_id: 'orders::note', payload: 'text' }
      expect((await managed.call(tool, wrong)).text).toBe('Error: Invalid params: payload must be an object')
    }
    await other.shutdown()
  })

  it('is put into the queue where the engine has one, and else says plainly that it has none', async () => {
    await using engine = await startMockEngine()
    const { other } = await offerOrders(engine.url)
    await using managed = await startManaged(engine.url)
    const input = { function_id: 'orders::note', payload: { a: 1 } }
    expect(await managed.call('iii_trigger_enqueue', input)).toMatchObject({
      isError: true,
      text: expect.stringMatching(
        /^Error: The engine has no queue worker, so nothing was enqueued.*iii-queue brings topics alone.*iii worker add queue/,
      ),
    })
    const queued: unknown[] = []
    other.registerFunction('engine::queue::enqueue', (call) => queued.push(call))
    await other.ready()
    expect((await managed.call('iii_trigger_enqueue', { ...input, queue: 'slow' })).data).toEqual({
      messageReceiptId: expect.any(String),
    })
    await managed.call('iii_trigger_enqueue', input)
    const target = { function_id: 'orders::note', data: { a: 1 } }
    expect(queued).toEqual([
      expect.objectContaining({ queue: 'slow', ...target }),
      expect.objectContaining({ queue: 'default', ...target }),
    ])
    await other.shutdown()
  })
})

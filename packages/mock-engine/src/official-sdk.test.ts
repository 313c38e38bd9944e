import { type IIIClient, type InitOptions, registerWorker, TriggerAction } from 'iii-sdk'
import type { ChannelWriter } from 'iii-sdk/channel'
import { createChannel } from 'iii-sdk/helpers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MockEngine, startMockEngine } from './engine.ts'

const QUIET: InitOptions = { otel: { enabled: false }, enableMetricsReporting: false, invocationTimeoutMs: 4000 }

describe('a worker written with the official SDK runs unchanged', () => {
  let engine: MockEngine
  const workers: IIIClient[] = []

  function worker(name: string): IIIClient {
    const client = registerWorker(engine.url, { ...QUIET, workerName: name })
    workers.push(client)
    return client
  }

  beforeEach(async () => {
    // It writes to stdout and cannot be told not to.
    for (const method of ['log', 'debug'] as const) vi.spyOn(console, method).mockImplementation(() => {})
    engine = await startMockEngine()
  })

  afterEach(async () => {
    await Promise.all(workers.splice(0).map((client) => client.shutdown()))
    await engine.close()
    vi.restoreAllMocks()
  })

  it('calls a function of another worker and gets its result', async () => {
    worker('math').registerFunction('math::add', (input: { a: number; b: number }) =>
      Promise.resolve(input.a + input.b),
    )
    await vi.waitFor(async () => expect(await engine.call('math::add', { a: 1, b: 2 })).toBe(3))
    const result = await worker('asker').trigger({ function_id: 'math::add', payload: { a: 20, b: 22 } })
    expect(result).toBe(42)
  })

  it('sees what a handler threw, and that a function does not exist', async () => {
    const client = worker('faulty')
    client.registerFunction('faulty::run', () => Promise.reject(new Error('no fuel')))
    await expect(client.trigger({ function_id: 'faulty::run', payload: {} })).rejects.toMatchObject({
      code: 'invocation_failed',
      message: expect.stringContaining('no fuel') as string,
    })
    await expect(client.trigger({ function_id: 'faulty::none', payload: {} })).rejects.toMatchObject({
      code: 'function_not_found',
    })
  })

  it('provides a trigger type that another worker binds to', async () => {
    const provider = worker('clock')
    const bound: { id: string; function_id: string; config: unknown }[] = []
    provider.registerTriggerType(
      { id: 'clock::tick', description: 'Every tick' },
      {
        registerTrigger: (binding) => {
          bound.push(binding)
          return Promise.resolve()
        },
        unregisterTrigger: () => Promise.resolve(),
      },
    )
    const heard: unknown[] = []
    const listener = worker('listener')
    listener.registerFunction('listener::on-tick', (event) => {
      heard.push(event)
      return Promise.resolve(null)
    })
    listener.registerTrigger({ type: 'clock::tick', function_id: 'listener::on-tick', config: { every: 5 } })
    await vi.waitFor(() => expect(bound).toMatchObject([{ function_id: 'listener::on-tick', config: { every: 5 } }]))
    await provider.trigger({ function_id: 'listener::on-tick', payload: { n: 1 }, action: TriggerAction.Void() })
    await vi.waitFor(() => expect(heard).toMatchObject([{ n: 1 }]))
  })

  it('keeps state and hears of its changes', async () => {
    const client = worker('keeper')
    const events: unknown[] = []
    client.registerFunction('keeper::on-change', (event) => {
      events.push(event)
      return Promise.resolve(null)
    })
    client.registerTrigger({ type: 'state', function_id: 'keeper::on-change', config: { scope: 'box' } })
    await client.trigger({ function_id: 'state::set', payload: { scope: 'box', key: 'a', value: { n: 1 } } })
    expect(await client.trigger({ function_id: 'state::get', payload: { scope: 'box', key: 'a' } })).toEqual({ n: 1 })
    await vi.waitFor(() =>
      expect(events).toMatchObject([{ event_type: 'state:created', key: 'a', new_value: { n: 1 } }]),
    )
  })

  it('answers HTTP requests with a value and as a stream', async () => {
    const client = worker('web')
    client.registerFunction('web::hello', (request: { path_params: { name: string } }) =>
      Promise.resolve({ status_code: 201, body: { hello: request.path_params.name } }),
    )
    client.registerTrigger({ type: 'http', function_id: 'web::hello', config: { api_path: 'hello/:name' } })
    client.registerFunction('web::stream', (request: { response: ChannelWriter }) => {
      request.response.sendMessage(JSON.stringify({ type: 'set_headers', headers: { 'content-type': 'text/plain' } }))
      request.response.stream.end('streamed')
      return Promise.resolve(null)
    })
    client.registerTrigger({ type: 'http', function_id: 'web::stream', config: { api_path: 'stream' } })

    const hello = await vi.waitFor(async () => {
      const response = await fetch(`${engine.httpUrl}/hello/ada`)
      expect(response.status).toBe(201)
      return response
    })
    expect(await hello.json()).toEqual({ hello: 'ada' })
    const stream = await fetch(`${engine.httpUrl}/stream`)
    expect(stream.headers.get('content-type')).toBe('text/plain')
    expect(await stream.text()).toBe('streamed')
  })

  it('sends bytes to another worker through a channel', async () => {
    const client = worker('piper')
    const { writer, reader } = await createChannel(client)
    writer.stream.end(Buffer.from('through the engine'))
    expect(String(await reader.readAll())).toBe('through the engine')
  })
})

it('on engine 0.23 a worker of the official SDK that has no namespaces serves its functions, and a second one of its name is refused', async () => {
  for (const method of ['log', 'debug', 'warn', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation(() => {})
  }
  await using engine = await startMockEngine({ engine: '0.23' })
  const rejected = new Set<string>()
  engine.onFrame(({ workerId, frame }) => {
    if (frame['type'] === 'registrationrejected') rejected.add(workerId)
  })
  const first = registerWorker(engine.url, { ...QUIET, workerName: 'math' })
  first.registerFunction('math::add', ({ a, b }: { a: number; b: number }) => Promise.resolve(a + b))
  await vi.waitFor(async () => expect(await engine.call('math::add', { a: 1, b: 2 })).toBe(3))
  const second = registerWorker(engine.url, { ...QUIET, workerName: 'math' })
  await vi.waitFor(() => expect(rejected.size).toBe(1))
  expect(await engine.call('math::add', { a: 20, b: 22 })).toBe(42)
  await Promise.all([first, second].map((client) => client.shutdown()))
  vi.restoreAllMocks()
})

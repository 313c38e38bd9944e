import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { connectRaw, type RawWorker } from '../testing/raw-worker.ts'
import { loadTraces } from '../testing/trace.ts'
import { DEFECTS } from './defects.ts'

it('the list of defects names exactly what the traces call one', () => {
  const traces = ['../../traces/', '../../traces/0.23/measured/'].flatMap((folder) =>
    loadTraces(new URL(folder, import.meta.url)),
  )
  const tagged = traces.filter(({ tags }) => tags.includes('engine-defect'))
  expect(new Set(Object.values(DEFECTS).map(({ trace }) => trace))).toEqual(new Set(tagged.map(({ name }) => name)))
})

describe('with fixed, as engine 0.23', () => {
  it(`${DEFECTS.shadowedBuiltin.trace}: functions of the engine stay`, async () => {
    await using engine = await startMockEngine({ engine: '0.23', fixed: true })
    using a = await connectRaw(engine.url, 'first')
    a.offer('state::get', () => ['fake'])
    expect(await a.frame(({ type }) => type === 'registrationrejected')).toMatchObject({
      code: 'FUNCTION_NAMESPACE_CONFLICT',
      function_id: 'state::get',
      owner_worker_id: '',
    })
    expect(await a.call('state::get', { scope: 's', key: 'k' })).not.toHaveProperty('result')
  })

  it(`${DEFECTS.graceOpensDefault.trace}: what is registered waits for a namespace that is allowed`, async () => {
    const restricted = { authFunctionId: 'ops::auth', expose: ['engine::functions::*'] }
    await using engine = await startMockEngine({ engine: '0.23', fixed: true, namespaceGraceMs: 20, restricted })
    using ops = await connectRaw(engine.url, 'ops')
    ops.offer('ops::auth', () => [{ namespaces: { orders: [] } }])
    await ops.sync()
    using held = await connectRaw(engine.restrictedUrl ?? '')
    using open = await connectRaw(engine.url)
    held.offer('held::f', () => ['here'])
    // Whoever may be in the default namespace is there when the time is over.
    open.offer('open::f', () => [])
    await held.sync()
    await vi.waitFor(async () =>
      expect(await ops.call('engine::functions::info', { function_id: 'open::f' })).not.toHaveProperty('error'),
    )
    expect(await ops.call('engine::functions::info', { function_id: 'held::f' })).toMatchObject({
      error: { code: 'NOT_FOUND' },
    })
    await held.call('engine::workers::register', { namespace: 'orders' })
    expect(await ops.call('engine::functions::info', { function_id: 'held::f' })).toMatchObject({
      result: { namespace: 'orders' },
    })
  })
})

describe('with fixed', () => {
  let engine: MockEngine
  let a: RawWorker
  let b: RawWorker
  let x: RawWorker

  beforeEach(async () => {
    engine = await startMockEngine({ fixed: true })
    a = await connectRaw(engine.url, 'first')
    b = await connectRaw(engine.url, 'second')
    x = await connectRaw(engine.url)
  })
  afterEach(async () => {
    for (const worker of [a, b, x]) worker.socket.terminate()
    await engine.close()
  })

  function bind(worker: RawWorker, id: string, type: string, functionId: string, config: object): void {
    worker.send({ type: 'registertrigger', id, trigger_type: type, function_id: functionId, config })
  }

  it(`${DEFECTS.poisonedRouter.trace}: the path is refused and everybody goes on`, async () => {
    a.offer('web::a', () => [{ body: 'a' }])
    bind(a, 'bad', 'http', 'web::a', { api_path: '/x/*' })
    expect(await a.frame(({ type }) => type === 'triggerregistrationresult')).toMatchObject({
      id: 'bad',
      error: {
        code: 'trigger_registration_failed',
        message: "the path '/x/*' cannot be routed: the segment '*' begins with '*'",
      },
    })
    bind(a, 'one', 'http', 'web::a', { api_path: '/x/:a' })
    await a.sync()
    bind(b, 'two', 'http', 'web::a', { api_path: '/x/:b', http_method: 'POST' })
    expect(await b.frame(({ type }) => type === 'triggerregistrationresult')).toMatchObject({
      error: {
        code: 'trigger_registration_failed',
        message:
          "the path '/x/:b' cannot stand beside '/x/:a': parameters at the same position need the same name and kind",
      },
    })
    const made = await x.call('engine::register_trigger', {
      trigger_type: 'http',
      function_id: 'web::a',
      config: { api_path: '/{' },
    })
    expect(made).toMatchObject({ error: { code: 'trigger_registration_failed' } })
    expect(await (await fetch(`${engine.httpUrl}/x/1`)).json()).toBe('a')
    await b.sync()
  })

  it(`${DEFECTS.lostBuiltin.trace}: it comes back`, async () => {
    a.offer('state::get', () => ['fake'])
    await a.sync()
    expect(await x.call('state::get', { scope: 's', key: 'k' })).toMatchObject({ result: 'fake' })
    a.send({ type: 'unregisterfunction', id: 'state::get' })
    await a.sync()
    expect(await x.call('state::get', { scope: 's', key: 'k' })).not.toHaveProperty('result')
    b.offer('state::get', () => ['fake'])
    await b.sync()
    b.socket.terminate()
    await vi.waitFor(async () =>
      expect(await x.call('state::get', { scope: 's', key: 'k' })).not.toHaveProperty('result'),
    )
    // A function of a worker is gone as ever.
    a.offer('own::f', () => [1])
    await a.sync()
    a.send({ type: 'unregisterfunction', id: 'own::f' })
    await a.sync()
    expect(await x.call('own::f')).toMatchObject({ error: { code: 'function_not_found' } })
  })

  it(`${DEFECTS.deafReader.trace}: pings are answered, and a reader that closes is gone`, async () => {
    const { result } = await x.call('engine::channels::create')
    const { reader, writer } = result as Record<'reader' | 'writer', { channel_id: string; access_key: string }>
    const open = async (side: string, { channel_id, access_key }: typeof reader) => {
      const socket = new WebSocket(`${engine.url}/ws/channels/${channel_id}?key=${access_key}&dir=${side}`)
      socket.on('error', () => {})
      await once(socket, 'open')
      return socket
    }
    const [read, write] = [await open('read', reader), await open('write', writer)]
    read.ping('hello')
    expect(String(await once(read, 'pong'))).toBe('hello')
    read.send('said to nobody')
    write.send('one')
    expect(String((await once(read, 'message'))[0])).toBe('one')
    read.close(1000)
    expect((await once(read, 'close'))[0]).toBe(1000)
    write.send('two')
    expect((await once(write, 'close'))[0]).toBe(1006)
  })

  it(`${DEFECTS.lostSiblings.trace}: the others still hear`, async () => {
    const heard: string[] = []
    for (const worker of [a, b]) {
      const name = worker === a ? 'a' : 'b'
      worker.offer(`sub::${name}`, () => {
        heard.push(name)
        return []
      })
      bind(worker, `sub-${name}`, 'subscribe', `sub::${name}`, { topic: 'news' })
      await worker.sync()
    }
    a.socket.terminate()
    await vi.waitFor(async () => expect(await x.call('sub::a')).toHaveProperty('error'))
    await x.call('publish', { topic: 'news', data: 1 })
    await vi.waitFor(() => expect(heard).toEqual(['b']))
  })

  it(`${DEFECTS.answerFromAnyone.trace}: only the callee is listened to`, async () => {
    a.offer('any::f', () => [])
    await a.sync()
    const called = x.call('any::f')
    const { invocation_id } = await a.frame(({ type }) => type === 'invokefunction')
    const answer = (result: string) => ({ type: 'invocationresult', invocation_id, function_id: 'any::f', result })
    b.send(answer('from b'))
    await b.sync()
    a.send(answer('from a'))
    expect(await called).toMatchObject({ result: 'from a' })
  })

  it(`${DEFECTS.unboundByStranger.trace}: the owner keeps it, and anybody removes what has no owner`, async () => {
    bind(a, 'mine', 'state', 'own::f', {})
    await a.sync()
    b.send({ type: 'unregistertrigger', id: 'mine' })
    expect(await b.call('engine::unregister_trigger', { id: 'mine' })).toMatchObject({ result: { removed: false } })
    expect(await a.call('engine::unregister_trigger', { id: 'mine' })).toMatchObject({ result: { removed: true } })
    const { result } = await a.call('engine::register_trigger', {
      trigger_type: 'state',
      function_id: 'own::f',
      config: {},
    })
    expect(await b.call('engine::unregister_trigger', result)).toMatchObject({ result: { removed: true } })
  })

  it(`${DEFECTS.sharedName.trace}: the owner alone lists it and is named`, async () => {
    a.offer('wn::f', () => [])
    await a.sync()
    b.offer('wn::f', () => [])
    await b.sync()
    const listed = async (name: string) => (await x.call('engine::workers::info', { name }))['result']
    expect(await listed('first')).toMatchObject({ functions: [], worker: { function_count: 0 } })
    expect(await listed('second')).toMatchObject({ functions: [{ function_id: 'wn::f', worker_name: 'second' }] })
    expect(await x.call('engine::functions::info', { function_id: 'wn::f' })).toMatchObject({
      result: { worker_name: 'second' },
    })
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { connectRaw, type RawWorker } from '../testing/raw-worker.ts'

describe('faults of connections', () => {
  let engine: MockEngine
  let callee: RawWorker
  let caller: RawWorker

  beforeEach(async () => {
    engine = await startMockEngine()
    callee = await connectRaw(engine.url, 'orders')
    callee.offer('orders::a', () => ['done'])
    await callee.sync()
    caller = await connectRaw(engine.url, 'asker')
  })
  afterEach(async () => {
    for (const worker of [callee, caller]) worker.socket.terminate()
    await engine.close()
  })

  const invocations = () => callee.frames.filter(({ type }) => type === 'invokefunction')

  it.each([
    ['cut', 1006],
    ['close', 1005],
  ] as const)('drop-connection that is a %s shows as %i, now', async (how, code) => {
    const dropped = engine.inject({ fault: 'drop-connection', how, worker: 'orders' })
    expect(dropped.struck).toBe(1)
    expect(await callee.closed).toBe(code)
    expect(await caller.call('orders::a')).toMatchObject({ error: { code: 'function_not_found' } })
    using again = await connectRaw(engine.url, 'orders')
    await again.sync()
  })

  it('drop-connection at a call: the worker does not hear of it, the caller hears that it stopped', async () => {
    engine.inject({ fault: 'drop-connection', when: 'call', function: 'orders::a' })
    expect(await caller.call('orders::a')).toMatchObject({ error: { code: 'invocation_stopped' } })
    expect(await callee.closed).toBe(1006)
    expect(invocations()).toEqual([])
  })

  it('drop-connection at a result: the worker did it, the caller does not know', async () => {
    engine.inject({ fault: 'drop-connection', when: 'result', how: 'close' })
    expect(await caller.call('orders::a')).toMatchObject({ error: { code: 'invocation_stopped' } })
    expect(await callee.closed).toBe(1005)
    expect(invocations()).toHaveLength(1)
  })

  it('drop-connection at a call of its own: the call goes on without its caller', async () => {
    engine.inject({ fault: 'drop-connection', when: 'own-call', worker: 'asker' })
    void caller.call('orders::a')
    expect(await caller.closed).toBe(1006)
    await vi.waitFor(() => expect(invocations()).toHaveLength(1))
    expect(caller.frames.some(({ function_id }) => function_id === 'orders::a')).toBe(false)
  })

  it('drop-connection at a registration: it is not taken', async () => {
    engine.inject({ fault: 'drop-connection', when: 'register', function: 'asker::*', times: 1 })
    caller.offer('asker::a', () => [])
    expect(await caller.closed).toBe(1006)
    await expect(engine.call('asker::a')).rejects.toMatchObject({ code: 'function_not_found' })
    using again = await connectRaw(engine.url)
    again.offer('asker::a', () => [1])
    await again.sync()
    expect(await engine.call('asker::a')).toBe(1)
  })

  it('drop-connection at a connection: it was greeted, and that was all', async () => {
    engine.inject({ fault: 'drop-connection', when: 'connect', how: 'close', times: 1 })
    using dropped = await connectRaw(engine.url)
    expect(await dropped.closed).toBe(1005)
    using again = await connectRaw(engine.url)
    await again.sync()
  })

  it('a worker that is told to close may answer, and what it sends besides no longer counts', async () => {
    callee.socket.pause()
    engine.inject({ fault: 'drop-connection', how: 'close', worker: 'orders' })
    callee.offer('orders::late', () => [])
    callee.socket.resume()
    await callee.closed
    await expect(engine.call('orders::late')).rejects.toMatchObject({ code: 'function_not_found' })
  })

  it('drop-connection needs somebody to drop when the engine starts', async () => {
    const start = startMockEngine({ faults: [{ fault: 'drop-connection' }] })
    await expect(start).rejects.toThrow("say when 'connect', 'register'")
  })

  it('stop-reading holds what a worker sends, until it is taken back', async () => {
    const held = engine.inject({ fault: 'stop-reading', worker: 'asker' })
    const answer = caller.call('orders::a')
    expect(await engine.call('orders::a')).toBe('done')
    expect(invocations()).toHaveLength(1)
    expect(held.struck).toBe(1)
    held()
    expect(await answer).toMatchObject({ result: 'done' })
  })

  it('stop-reading lets the sender feel it: what does not fit stays with the worker', async () => {
    using _held = engine.inject({ fault: 'stop-reading', worker: 'asker' })
    const payload = 'x'.repeat(8 * 1024 * 1024)
    for (let n = 0; n < 4; n++) caller.send({ type: 'invokefunction', function_id: 'orders::a', data: { payload } })
    expect(await engine.call('orders::a')).toBe('done')
    expect(caller.socket.bufferedAmount).toBeGreaterThan(8 * 1024 * 1024)
  })

  it('stop-reading ends by itself after its time', async () => {
    engine.inject({ fault: 'stop-reading', worker: 'asker', ms: 50 })
    const startedAt = performance.now()
    await caller.call('orders::a')
    expect(performance.now() - startedAt).toBeGreaterThan(48)
  })

  it('stop-reading meets workers that come later, each once, as soon as their name is known', async () => {
    const held = engine.inject({ fault: 'stop-reading', worker: 'late', ms: 1 })
    using late = await connectRaw(engine.url, 'late')
    await late.sync()
    await late.sync()
    expect(held.struck).toBe(1)
  })
})

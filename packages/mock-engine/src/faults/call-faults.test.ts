import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { connectRaw, type RawWorker } from '../testing/raw-worker.ts'

describe('faults of calls', () => {
  let engine: MockEngine
  let callee: RawWorker
  let caller: RawWorker

  beforeEach(async () => {
    engine = await startMockEngine()
    callee = await connectRaw(engine.url, 'orders')
    callee.offer('orders::a', ({ n }) => [n ?? null])
    await callee.sync()
    caller = await connectRaw(engine.url, 'asker')
  })
  afterEach(async () => {
    for (const worker of [callee, caller]) worker.socket.terminate()
    await engine.close()
  })

  const invocations = () => callee.frames.filter(({ type }) => type === 'invokefunction')

  it('delay-call hands over late, and lets others pass', async () => {
    engine.inject({ fault: 'delay-call', ms: 60, times: 1 })
    const startedAt = performance.now()
    const late = caller.call('orders::a', { n: 1 })
    await caller.call('orders::a', { n: 2 })
    await late
    expect(performance.now() - startedAt).toBeGreaterThan(58)
    expect(invocations().map(({ data }) => (data as { n: number }).n)).toEqual([2, 1])
  })

  it('delay-call makes built-in functions slow', async () => {
    engine.inject({ fault: 'delay-call', function: 'state::*', ms: 40 })
    const startedAt = performance.now()
    await engine.call('state::set', { scope: 's', key: 'k', value: 1 })
    expect(performance.now() - startedAt).toBeGreaterThan(38)
  })

  it('fail-call answers for the function, which does not hear of it', async () => {
    engine.inject({ fault: 'fail-call', function: 'orders::a', times: 1 })
    expect(await caller.call('orders::a')).toMatchObject({
      error: { code: 'invocation_failed', message: 'orders::a was made to fail by a fault' },
    })
    expect(invocations()).toEqual([])
    expect(await caller.call('orders::a', { n: 1 })).toMatchObject({ result: 1 })
  })

  it('fail-call makes state that cannot be read', async () => {
    using _disk = engine.inject({ fault: 'fail-call', function: 'state::*', code: 'KV', message: 'disk full' })
    await expect(engine.call('state::get', { scope: 's', key: 'k' })).rejects.toMatchObject({
      code: 'KV',
      message: 'disk full',
    })
  })

  it('fail-call makes an HTTP handler that fails', async () => {
    callee.send({
      type: 'registertrigger',
      id: 't',
      trigger_type: 'http',
      function_id: 'orders::a',
      config: { api_path: 'a' },
    })
    await callee.sync()
    engine.inject({ fault: 'fail-call', function: 'orders::a' })
    expect((await fetch(`${engine.httpUrl}/a`)).status).toBe(500)
  })

  it('several rules add up', async () => {
    engine.inject({ fault: 'delay-call', ms: 30 })
    engine.inject({ fault: 'delay-call', ms: 30 })
    engine.inject({ fault: 'fail-call', code: 'LATE' })
    const startedAt = performance.now()
    expect(await caller.call('orders::a')).toMatchObject({ error: { code: 'LATE' } })
    expect(performance.now() - startedAt).toBeGreaterThan(58)
  })

  it('the same seed takes the same calls', async () => {
    const failed = async (seed: number) => {
      await using other = await startMockEngine({ seed, faults: [{ fault: 'fail-call', chance: 0.4 }] })
      const calls = Array.from({ length: 40 }, () => other.call('engine::health::check'))
      return (await Promise.allSettled(calls)).map(({ status }) => status)
    }
    const first = await failed(7)
    expect(await failed(7)).toEqual(first)
    expect(await failed(8)).not.toEqual(first)
    expect(new Set(first).size).toBe(2)
  })
})

import { type FaultRule, type MockEngineOptions, startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { createChangeFeed } from '../change-feed/change-feed.ts'
import { TriggerAction } from '../engine/call.ts'
import { InvocationError } from '../engine/invocation-error.ts'
import { startMockStage } from '../testing/mock-stage.ts'
import type { Worker } from '../worker/worker.ts'

/** A worker that reconnects at once and notices death soon. */
const LIVELY = { name: 'orders', timings: { firstRetryMs: 20, retryMs: 40, pingEveryMs: 50, deadAfterMs: 400 } }

function startStage(options: MockEngineOptions = {}) {
  return startMockStage(() => startMockEngine(options))
}

async function failureOf(call: Promise<unknown>): Promise<InvocationError> {
  const error = await call.catch((reason: unknown) => reason)
  if (error instanceof InvocationError) return error
  throw new Error(`no InvocationError but ${String(error)}`)
}

/** Makes numbered calls, so many at once. @returns what came back, in the order of the numbers. */
async function callMany(worker: Worker, functionId: string, total: number, atOnce: number): Promise<unknown[]> {
  const results: unknown[] = []
  let next = 0
  const line = async () => {
    while (next < total) {
      const n = next++
      results[n] = await worker.trigger({ function_id: functionId, payload: { n }, timeoutMs: 10_000 })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, line))
  return results
}

const numbers = (total: number) => Array.from({ length: total }, (_, n) => n)

describe('on an engine that loses replies which come too soon', () => {
  it('thousands of quick calls lose none, because small results are said twice', async () => {
    await using stage = await startStage()
    const callee = await stage.connect({ name: 'quick' })
    callee.registerFunction('quick::echo', ({ n }: { n: number }) => n)
    await callee.ready()
    const caller = await stage.connect()
    // What is not ready within 5 ms is said once, so later than this it must not be lost.
    const early = stage.engine.inject({ fault: 'lose-early-result', withinMs: 5 })
    expect(await callMany(caller, 'quick::echo', 4000, 64)).toEqual(numbers(4000))
    expect(early.struck).toBeGreaterThan(100)
  })

  it('nor do those of calls with longer results', async () => {
    await using stage = await startStage()
    const callee = await stage.connect({ name: 'quick' })
    callee.registerFunction('quick::long', ({ n }: { n: number }) => `${n} ${'x'.repeat(20_000)}`)
    await callee.ready()
    const caller = await stage.connect()
    const early = stage.engine.inject({ fault: 'lose-early-result', withinMs: 5 })
    const results = await callMany(caller, 'quick::long', 500, 16)
    expect(results.map((text) => Number.parseInt(String(text), 10))).toEqual(numbers(500))
    expect(early.struck).toBeGreaterThan(0)
  })

  it('large results are not lost, because they are held back for the time in which they would be', async () => {
    await using stage = await startStage({ faults: [{ fault: 'lose-early-result' }] })
    const callee = await stage.connect({ name: 'quick' })
    callee.registerFunction('quick::large', ({ n }: { n: number }) => `${n} ${'x'.repeat(70_000)}`)
    await callee.ready()
    const results = await callMany(await stage.connect(), 'quick::large', 200, 16)
    expect(results.map((text) => Number.parseInt(String(text), 10))).toEqual(numbers(200))
  })
})

describe('a reply that is lost', () => {
  it('ends the call at its deadline, which says that the outcome is unknown', async () => {
    await using stage = await startStage()
    const callee = await stage.connect()
    let runs = 0
    callee.registerFunction('orders::create', () => ++runs)
    await callee.ready()
    const caller = await stage.connect()
    const lost = stage.engine.inject({ fault: 'lose-result', function: 'orders::*', times: 1 })
    const call = caller.trigger({ function_id: 'orders::create', timeoutMs: 150 })
    const { code, message } = await failureOf(call)
    expect(code).toBe('TIMEOUT')
    expect(message).toBe('orders::create did not answer within 150 ms: the outcome is unknown')
    expect([runs, lost.struck]).toEqual([1, 1])
    expect(await caller.trigger({ function_id: 'orders::create' })).toBe(2)
  })

  it('or comes too late, is not mistaken for another one', async () => {
    await using stage = await startStage()
    const caller = await stage.connect()
    await caller.trigger({ function_id: 'state::set', payload: { scope: 's', key: 'k', value: 'stored' } })
    stage.engine.inject({ fault: 'delay-result', function: 'state::get', ms: 120, times: 1 })
    const get = (timeoutMs: number) =>
      caller.trigger({ function_id: 'state::get', payload: { scope: 's', key: 'k' }, timeoutMs })
    expect((await failureOf(get(50))).code).toBe('TIMEOUT')
    expect(await callMany(caller, 'engine::health::check', 50, 5)).toHaveLength(50)
    expect(await get(5_000)).toBe('stored')
  })
})

describe('a connection that is lost', () => {
  const ways: Omit<FaultRule & { fault: 'drop-connection' }, 'fault'>[] = [
    { when: 'now', how: 'cut' },
    { when: 'now', how: 'close' },
    { when: 'connect', how: 'cut' },
    { when: 'register', how: 'close' },
    { when: 'call', how: 'cut' },
    { when: 'call', how: 'close' },
    { when: 'result', how: 'cut' },
    { when: 'result', how: 'close' },
  ]

  it.each(ways)('($when, $how) is made again, with everything that was registered', async (way) => {
    await using stage = await startStage()
    const callee = await stage.connect(LIVELY)
    callee.registerFunction('orders::count', () => 3)
    callee.registerTrigger({ type: 'http', function_id: 'orders::count', config: { api_path: 'count' } })
    callee.registerTriggerType(
      { id: 'orders::changed', description: 'Orders changed' },
      { registerTrigger: () => undefined, unregisterTrigger: () => undefined },
    )
    await callee.ready()
    const dropped = stage.engine.inject({ fault: 'drop-connection', times: 1, ...way })
    // It meets only those who come, so somebody has to leave first.
    if (way.when === 'connect' || way.when === 'register') {
      stage.engine.inject({ fault: 'drop-connection', worker: 'orders' })()
    }
    if (way.when === 'call' || way.when === 'result') {
      await expect(stage.engine.call('orders::count')).rejects.toMatchObject({ code: 'invocation_stopped' })
    }
    await vi.waitFor(async () => expect(await stage.engine.call('orders::count')).toBe(3), 5_000)
    expect(dropped.struck).toBe(1)
    await callee.ready({ timeoutMs: 5_000 })
    await stage.engine.call('engine::triggers::info', { id: 'orders::changed' })
    expect((await fetch(`${stage.engine.httpUrl}/count`)).status).toBe(200)
  })

  it.each(['cut', 'close'] as const)(
    'by a %s fails what was under way at once: the outcome is unknown',
    async (how) => {
      await using stage = await startStage()
      const callee = await stage.connect()
      callee.registerFunction('orders::slow', () => 'done')
      await callee.ready()
      const caller = await stage.connect({ ...LIVELY, name: 'caller' })
      stage.engine.inject({ fault: 'drop-connection', when: 'own-call', function: 'orders::slow', how })
      const error = await failureOf(caller.trigger({ function_id: 'orders::slow' }))
      expect(error.code).toBe('connection_lost')
      expect(error.message).toContain('the outcome is unknown')
      await caller.ready({ timeoutMs: 5_000 })
      expect(await caller.trigger({ function_id: 'engine::health::check' })).toMatchObject({ status: 'healthy' })
    },
  )
})

describe('an engine that stops reading', () => {
  it('holds no caller past its deadline, and others not at all', async () => {
    await using stage = await startStage()
    const callee = await stage.connect()
    callee.registerFunction('orders::count', () => 3)
    await callee.ready()
    const held = await stage.connect({ name: 'held' })
    const other = await stage.connect()
    const brake = stage.engine.inject({ fault: 'stop-reading', worker: 'held' })
    const payload = 'x'.repeat(1024 * 1024)
    const startedAt = performance.now()
    const call = () => held.trigger({ function_id: 'orders::count', payload, timeoutMs: 200 })
    const ended = Promise.allSettled(numbers(12).map(call))
    expect(await other.trigger({ function_id: 'orders::count' })).toBe(3)
    const outcomes = await ended
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'TIMEOUT' } })
    brake()
    expect(await held.trigger({ function_id: 'orders::count' })).toBe(3)
  })

  it('is taken for dead after a while, and a new connection is made', async () => {
    await using stage = await startStage()
    const callee = await stage.connect(LIVELY)
    callee.registerFunction('orders::count', () => 3)
    await callee.ready()
    const { workerId } = callee
    stage.engine.inject({ fault: 'stop-reading', worker: 'orders', times: 1 })
    await vi.waitFor(() => expect(callee.workerId).not.toBe(workerId), 5_000)
    await callee.ready({ timeoutMs: 5_000 })
    await vi.waitFor(async () => expect(await stage.engine.call('orders::count')).toBe(3), 5_000)
  })
})

describe('an engine that reorders what it may', () => {
  it('mixes up no results', async () => {
    await using stage = await startStage({ faults: [{ fault: 'reorder', windowMs: 5 }] })
    const callee = await stage.connect()
    callee.registerFunction('orders::echo', ({ n }: { n: number }) => n)
    await callee.ready()
    const caller = await stage.connect()
    expect(await callMany(caller, 'orders::echo', 1000, 50)).toEqual(numbers(1000))
    expect(stage.log.messages('warn')).toEqual([])
  })

  it('finds everything in force that was registered before', async () => {
    await using stage = await startStage({ faults: [{ fault: 'reorder', windowMs: 5 }] })
    const callee = await stage.connect()
    for (const n of numbers(50)) {
      const registration = callee.registerFunction(`orders::f${n}`, () => n)
      await callee.ready()
      expect(await stage.engine.call(`orders::f${n}`)).toBe(n)
      registration.unregister()
      await callee.ready()
      await expect(stage.engine.call(`orders::f${n}`)).rejects.toMatchObject({ code: 'function_not_found' })
    }
  })

  it('still has every subscriber of a change feed told of every change in order', async () => {
    await using stage = await startStage({ faults: [{ fault: 'reorder', windowMs: 2 }] })
    const feed = createChangeFeed<{ id: string; n: number }>(await stage.connect(), {
      id: 'things::on-change',
      description: 'Things changed',
    })
    const listener = await stage.connect()
    const seen: number[] = []
    listener.registerFunction('listener::on', ({ n }: { n: number }) => void seen.push(n))
    listener.registerTrigger({ type: 'things::on-change', function_id: 'listener::on' })
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(1))
    for (const n of numbers(100)) feed.announce({ id: 'a', n })
    await vi.waitFor(() => expect(seen).toEqual(numbers(100)), 10_000)
  })

  it('loses no call that nobody waits for', async () => {
    await using stage = await startStage({ faults: [{ fault: 'reorder', windowMs: 5 }] })
    const callee = await stage.connect()
    const heard = new Set<number>()
    callee.registerFunction('orders::note', ({ n }: { n: number }) => void heard.add(n))
    await callee.ready()
    const caller = await stage.connect()
    const note = (n: number) =>
      caller.trigger({ function_id: 'orders::note', payload: { n }, action: TriggerAction.Void() })
    await Promise.all(numbers(300).map(note))
    await vi.waitFor(() => expect(heard.size).toBe(300))
  })
})

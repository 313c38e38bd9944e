import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { connectRaw, type RawWorker } from '../testing/raw-worker.ts'

describe('faults of results', () => {
  let engine: MockEngine
  let callee: RawWorker
  let caller: RawWorker

  beforeEach(async () => {
    engine = await startMockEngine()
    callee = await connectRaw(engine.url, 'orders')
    caller = await connectRaw(engine.url, 'asker')
  })
  afterEach(async () => {
    for (const worker of [callee, caller]) worker.socket.terminate()
    await engine.close()
  })

  async function offer(id: string, ...results: unknown[]): Promise<void> {
    callee.offer(id, () => results)
    await callee.sync()
  }

  const results = () =>
    caller.frames.filter(({ type, function_id }) => type === 'invocationresult' && function_id === 'orders::a')

  it('lose-early-result drops what comes at once, and takes the copy that comes later', async () => {
    await offer('orders::a')
    const early = engine.inject({ fault: 'lose-early-result', withinMs: 60_000 })
    const answer = caller.call('orders::a')
    const { invocation_id } = await callee.frame(({ type }) => type === 'invokefunction')
    const reply = { type: 'invocationresult', invocation_id, function_id: 'orders::a' }
    callee.send({ ...reply, result: 'first' }, { ...reply, result: 'second' })
    await callee.sync()
    expect(early.struck).toBe(1)
    early()
    callee.send({ ...reply, result: 'third' })
    expect(await answer).toMatchObject({ result: 'third' })
  })

  it('lose-early-result takes what comes after its time', async () => {
    await offer('orders::a', 1)
    const early = engine.inject({ fault: 'lose-early-result', withinMs: 0 })
    expect(await caller.call('orders::a')).toMatchObject({ result: 1 })
    expect(early.struck).toBe(0)
  })

  it('lose-result drops every copy, whoever waits; the call ends only when the worker leaves', async () => {
    await offer('orders::a', 1, 2, 3)
    const lost = engine.inject({ fault: 'lose-result', function: 'orders::*' })
    const answer = caller.call('orders::a')
    const own = engine.call('orders::a').catch((error: unknown) => error)
    await vi.waitFor(() => expect(lost.struck).toBe(2))
    await callee.sync()
    lost()
    expect(await caller.call('orders::a')).toMatchObject({ result: 1 })
    expect(results()).toHaveLength(1)
    callee.socket.terminate()
    expect(await answer).toMatchObject({ error: { code: 'invocation_stopped' } })
    expect(await own).toMatchObject({ code: 'invocation_stopped' })
  })

  it('lose-result strikes only as often as it may, and only where it should', async () => {
    await offer('orders::a', 1)
    await offer('orders::b', 1)
    engine.inject({ fault: 'lose-result', function: 'orders::a', worker: 'ord*', skip: 1, times: 1 })
    expect(await caller.call('orders::a')).toMatchObject({ result: 1 })
    void caller.call('orders::a')
    expect(await caller.call('orders::b')).toMatchObject({ result: 1 })
    expect(await caller.call('orders::a')).toMatchObject({ result: 1 })
    expect(results()).toHaveLength(2)
  })

  it('lose-result is about built-in functions, too', async () => {
    const lost = engine.inject({ fault: 'lose-result', worker: 'iii-state' })
    void caller.call('state::get', { scope: 's', key: 'k' })
    await caller.sync()
    expect(lost.struck).toBe(1)
    expect(caller.frames.filter(({ function_id }) => function_id === 'state::get')).toEqual([])
  })

  it('a result that nobody waits for is no occasion', async () => {
    await offer('orders::a', 1)
    const lost = engine.inject({ fault: 'lose-result', function: 'orders::a', times: 1 })
    caller.send({ type: 'invokefunction', function_id: 'orders::a', data: {}, action: { type: 'void' } })
    await callee.frame(({ type }) => type === 'invokefunction')
    await callee.sync()
    expect(lost.struck).toBe(0)
  })

  it('delay-result holds results back, those of built-in functions too', async () => {
    await offer('orders::a', 1)
    const slow = engine.inject({ fault: 'delay-result', ms: [60, 80], function: '*a*' })
    const startedAt = performance.now()
    await Promise.all([caller.call('orders::a'), caller.call('state::get', { scope: 's', key: 'k' })])
    // A timer may fire within the millisecond before its time.
    expect(performance.now() - startedAt).toBeGreaterThan(58)
    expect(slow.struck).toBe(2)
  })

  it('nothing is left of a rule that was taken back', async () => {
    await offer('orders::a', 1)
    {
      using lost = engine.inject({ fault: 'lose-result' })
      expect(lost.struck).toBe(0)
    }
    expect(await caller.call('orders::a')).toMatchObject({ result: 1 })
  })

  it('rules of the start are in force from the start, and every strike is told', async () => {
    await using faulty = await startMockEngine({ faults: [{ fault: 'delay-result', function: 'state::get', ms: 1 }] })
    const strikes: unknown[] = []
    const stop = faulty.onFault((strike) => strikes.push(strike))
    await faulty.call('state::get', { scope: 's', key: 'k' })
    stop()
    await faulty.call('state::get', { scope: 's', key: 'k' })
    expect(strikes).toEqual([
      { rule: { fault: 'delay-result', function: 'state::get', ms: 1 }, functionId: 'state::get', worker: 'iii-state' },
    ])
  })

  it('a bad rule is refused at once, and starts nothing', async () => {
    const bad = { fault: 'lose-result', chance: 7 } as const
    expect(() => engine.inject(bad)).toThrow('chance takes a number from 0 to 1, not 7')
    await expect(startMockEngine({ faults: [{ fault: 'restart', everyMs: 1 }, bad] })).rejects.toThrow('not 7')
  })

  it('strikes are logged, once a second at most', async () => {
    const lines: string[] = []
    await using faulty = await startMockEngine({
      faults: [{ fault: 'delay-result', function: 'state::get', ms: 0 }],
      log: ({ level, message }) => lines.push(`${level} ${message}`),
    })
    for (let n = 0; n < 5; n++) await faulty.call('state::get', { scope: 's', key: 'k' })
    expect(lines[0]).toBe('warn fault delay-result function=state::get ms=0 struck: state::get, worker iii-state')
    expect(lines.length).toBeLessThan(5)
  })
})

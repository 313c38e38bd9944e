import { afterEach, describe, expect, it, vi } from 'vitest'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { connectRaw, type RawWorker } from '../testing/raw-worker.ts'

const NUMBERS = Array.from({ length: 30 }, (_, n) => n)
const WINDOW_MS = 400

describe('reorder', () => {
  const open: { socket: { terminate(): void } }[] = []
  const engines: MockEngine[] = []

  async function connect(engine: MockEngine, name: string): Promise<RawWorker> {
    const worker = await connectRaw(engine.url, name)
    open.push(worker)
    return worker
  }

  async function start(seed = 1): Promise<MockEngine> {
    const engine = await startMockEngine({ seed })
    engines.push(engine)
    return engine
  }

  afterEach(async () => {
    for (const { socket } of open.splice(0)) socket.terminate()
    await Promise.all(engines.splice(0).map((engine) => engine.close()))
  })

  /** The orders in which numbered calls reach their function and their results the caller. */
  async function mix(seed: number): Promise<{ called: unknown[]; answered: unknown[] }> {
    const engine = await start(seed)
    const callee = await connect(engine, 'callee')
    const called: unknown[] = []
    callee.offer('numbers::echo', ({ n }) => {
      called.push(n)
      return [n]
    })
    await callee.sync()
    const caller = await connect(engine, 'caller')
    engine.inject({ fault: 'reorder', windowMs: WINDOW_MS })
    await Promise.all(NUMBERS.map((n) => caller.call('numbers::echo', { n })))
    const answers = caller.frames.filter(({ function_id }) => function_id === 'numbers::echo')
    return { called, answered: answers.map(({ result }) => result) }
  }

  it('lets calls and results overtake each other, the same with the same seed, and loses none', async () => {
    const [first, same, other] = await Promise.all([mix(1), mix(1), mix(2)])
    expect(first.called).not.toEqual(NUMBERS)
    expect(first.answered).not.toEqual(first.called)
    expect(same).toEqual(first)
    expect(other).not.toEqual(first)
    for (const order of [first.called, first.answered, other.called]) {
      expect([...order].sort((a, b) => Number(a) - Number(b))).toEqual(NUMBERS)
    }
  })

  it('keeps registrations and pings of a connection in order', async () => {
    const engine = await start()
    const worker = await connect(engine, 'worker')
    engine.inject({ fault: 'reorder', windowMs: 5 })
    for (const n of NUMBERS) {
      worker.offer('own::f', () => [n])
      worker.send({ type: 'unregisterfunction', id: 'own::f' })
    }
    worker.offer('own::f', () => ['last'])
    await worker.sync()
    expect(await engine.call('own::f')).toBe('last')
  })

  it('takes a result before whatever its worker does next, such as leaving', async () => {
    const engine = await start()
    const callee = await connect(engine, 'callee')
    callee.offer('own::f', () => ['done'])
    await callee.sync()
    engine.inject({ fault: 'reorder', windowMs: 20 })
    const result = engine.call('own::f')
    await callee.frame(({ type }) => type === 'invokefunction')
    callee.socket.close()
    expect(await result).toBe('done')
  })

  it('mixes what subscribers hear with what the publisher hears', async () => {
    const first = async (seed: number) => {
      const engine = await start(seed)
      const worker = await connect(engine, 'worker')
      worker.offer('own::on-news', () => [])
      const binding = { id: 'news', trigger_type: 'subscribe', function_id: 'own::on-news', config: { topic: 'news' } }
      worker.send({ type: 'registertrigger', ...binding })
      await worker.sync()
      engine.inject({ fault: 'reorder', windowMs: 1 })
      await worker.call('publish', { topic: 'news', data: 1 })
      await worker.frame(({ type }) => type === 'invokefunction')
      return worker.frames.at(-1)?.type
    }
    const seen = new Set(await Promise.all(NUMBERS.slice(0, 12).map(first)))
    expect([...seen].sort()).toEqual(['invocationresult', 'invokefunction'])
  })

  it('lets a new provider hear of bindings in any order, all of them', async () => {
    const engine = await start()
    const owner = await connect(engine, 'owner')
    const ids = NUMBERS.map((n) => `binding-${n}`)
    const ticks = { trigger_type: 'clock::tick', function_id: 'owner::on-tick', config: {} }
    owner.send(...ids.map((id) => ({ type: 'registertrigger', id, ...ticks })))
    await owner.sync()
    engine.inject({ fault: 'reorder', function: 'owner::*' })
    const provider = await connect(engine, 'clock')
    provider.send({ type: 'registertriggertype', id: 'clock::tick', description: 'Every tick' })
    await provider.sync()
    const told = (type: string) => provider.frames.filter((frame) => frame.type === type).map(({ id }) => id)
    expect(told('registertrigger')).not.toEqual(ids)
    expect(told('registertrigger').sort()).toEqual([...ids].sort())
    owner.socket.terminate()
    await vi.waitFor(() => expect(told('unregistertrigger').sort()).toEqual([...ids].sort()))
  })
})

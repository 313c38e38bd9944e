import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { connectRaw, type RawWorker } from '../testing/raw-worker.ts'

/** More than the buffers between two sockets and the queue of the engine hold. */
const FLOOD = 200
const PIECE = 'x'.repeat(256 * 1024)

describe('a provider that does not read', () => {
  let engine: MockEngine
  let provider: RawWorker
  let subscriber: RawWorker
  let other: RawWorker

  beforeEach(async () => {
    engine = await startMockEngine()
    provider = await connectRaw(engine.url)
    subscriber = await connectRaw(engine.url)
    other = await connectRaw(engine.url)
    provider.send({ type: 'registerfunction', id: 'full::f' })
    provider.send({ type: 'registertriggertype', id: 'full::t', description: 'd' })
    await provider.sync()
    bind('first')
    await subscriber.sync()
    provider.socket.pause()
    for (let i = 0; i < FLOOD; i++) {
      other.send({ type: 'invokefunction', function_id: 'full::f', data: PIECE, action: { type: 'void' } })
    }
    await other.sync()
  })
  afterEach(async () => {
    for (const worker of [provider, subscriber, other]) worker.socket.terminate()
    await engine.close()
  })

  function bind(id: string): void {
    subscriber.send({ type: 'registertrigger', id, trigger_type: 'full::t', function_id: 'f', config: {} })
  }

  async function listed(): Promise<string[]> {
    const { result } = await other.call('engine::registered-triggers::list', { trigger_type: 'full::t' })
    return (result as { registered_triggers: { id: string }[] }).registered_triggers.map(({ id }) => id)
  }

  /** Gives everybody who can go on the time to do so. */
  async function otherThings(): Promise<void> {
    for (let i = 0; i < 20; i++) await other.sync()
  }

  it('holds up whoever binds something to its type, and nobody else', async () => {
    bind('second')
    let synced = false
    const pong = subscriber.sync().then(() => {
      synced = true
    })
    await otherThings()
    expect(synced).toBe(false)
    expect(await listed()).toEqual(['first'])
    provider.socket.resume()
    await pong
    expect(await listed()).toEqual(['first', 'second'])
  })

  it('holds up whoever removes a binding, and a call that does', async () => {
    subscriber.send({ type: 'unregistertrigger', id: 'first' })
    const done: string[] = []
    const pong = subscriber.sync().then(() => done.push('pong'))
    const binding = { trigger_type: 'full::t', function_id: 'f', config: {} }
    const made = other.call('engine::register_trigger', binding).then(() => done.push('made'))
    await otherThings()
    expect(done).toEqual([])
    expect(await listed()).toEqual(['first'])
    provider.socket.resume()
    const offered = await provider.frame((frame) => frame.type === 'registertrigger' && frame['id'] !== 'first')
    provider.send({ ...offered, type: 'triggerregistrationresult' })
    await Promise.all([pong, made])
  })

  it('keeps a subscriber that left on the list until it can be told', async () => {
    using watcher = await connectRaw(engine.url)
    const left: unknown[] = []
    watcher.offer('events', ({ event, worker_id }) => {
      if (event === 'worker_disconnected') left.push(worker_id)
      return [null]
    })
    watcher.send({
      type: 'registertrigger',
      id: 'watch',
      trigger_type: 'engine::workers-available',
      function_id: 'events',
      config: {},
    })
    await watcher.sync()
    subscriber.socket.terminate()
    await subscriber.closed
    await otherThings()
    expect(left).toEqual([])
    provider.socket.resume()
    const event = await watcher.frame(
      ({ data }) => (data as { event?: string } | undefined)?.event === 'worker_disconnected',
    )
    expect(event['data']).toMatchObject({ worker_id: subscriber.frames[0]?.['worker_id'] })
  })

  it('is not read itself while nobody takes the answers to its pings', async () => {
    provider.send({ type: 'ping' }, { type: 'registerfunction', id: 'full::late' })
    await otherThings()
    expect(await other.call('full::late')).toMatchObject({ error: { code: 'function_not_found' } })
    provider.socket.resume()
    await provider.sync()
    expect(await other.call('engine::functions::info', { function_id: 'full::late' })).toHaveProperty('result')
  })
})

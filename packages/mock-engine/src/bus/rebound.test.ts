import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { connectRaw, type RawWorker } from '../testing/raw-worker.ts'

describe('a binding that is said again under its id', () => {
  let engine: MockEngine
  let worker: RawWorker
  let heard: string[]

  beforeEach(async () => {
    engine = await startMockEngine({ queuePollMs: 5 })
    worker = await connectRaw(engine.url)
    heard = []
    for (const id of ['own::first', 'own::second']) worker.offer(id, () => [void heard.push(id)])
  })
  afterEach(async () => {
    worker.socket.terminate()
    await engine.close()
  })

  const bind = (trigger_type: string, function_id: string, config: object) =>
    worker.send({ type: 'registertrigger', id: 'one', trigger_type, function_id, config })

  async function rows(asking = worker): Promise<unknown> {
    const { result } = await asking.call('engine::registered-triggers::list', { search: 'own::' })
    return (result as { registered_triggers: { function_id: string }[] }).registered_triggers.map(
      (row) => row.function_id,
    )
  }

  it('stays in force while the type of the new one is not there, and both go at once', async () => {
    bind('state', 'own::first', { scope: 's' })
    bind('nobody::has-it', 'own::second', {})
    expect(await rows()).toEqual(['own::first'])
    worker.send({ type: 'unregistertrigger', id: 'one' })
    worker.send({ type: 'registertriggertype', id: 'nobody::has-it', description: '' })
    expect(await rows()).toEqual([])
    await worker.call('state::set', { scope: 's', key: 'k', value: 1 })
    await worker.sync()
    expect(heard).toEqual([])
    expect(worker.frames.filter(({ type }) => type === 'registertrigger')).toEqual([])
  })

  it('goes with its worker also when the type of the new one is not there', async () => {
    using other = await connectRaw(engine.url)
    bind('state', 'own::first', { scope: 's' })
    bind('nobody::has-it', 'own::second', {})
    await worker.sync()
    worker.socket.terminate()
    await vi.waitFor(async () => expect(await rows(other)).toEqual([]))
    let late = 0
    other.offer('own::first', () => [void late++])
    await other.call('state::set', { scope: 's', key: 'k', value: 1 })
    await other.sync()
    expect(late).toBe(0)
  })

  it('goes on with both functions where it is a durable one, with the first for good', async () => {
    const publish = async (...functions: string[]) => {
      heard = []
      await worker.call('iii::durable::publish', { topic: 'd', data: 1 })
      await vi.waitFor(() => expect(heard.toSorted()).toEqual(functions))
    }
    bind('durable:subscriber', 'own::first', { topic: 'd' })
    bind('durable:subscriber', 'own::second', { topic: 'd' })
    expect(await rows()).toEqual(['own::second'])
    await publish('own::first', 'own::second')
    worker.send({ type: 'unregistertrigger', id: 'one' })
    await publish('own::first')
  })

  it('keeps the function that it began with where log lines are heard', async () => {
    bind('log', 'own::first', {})
    bind('log', 'own::second', {})
    await worker.call('engine::log::warn', { message: 'm' })
    await worker.sync()
    expect(heard).toEqual(['own::first'])
    expect(await rows()).toEqual(['own::second'])
  })
})

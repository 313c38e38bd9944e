import { startMockEngine } from '@iii/mock-engine'
import { registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../../auth/principal.ts'
import { createSight } from '../../gate/sight.ts'
import { startBridge, stateless, type TestBridge } from '../../testing/bridge.ts'
import { type EventReader, openEvents, postInit } from '../../testing/events.ts'
import { createEngineResources } from './index.ts'

/** Subscribes to addresses; what they look like is known when this resolves. */
async function listen(bridge: TestBridge, uris: readonly string[]): Promise<EventReader> {
  const { meta, headers } = stateless('subscriptions/listen')
  const params = { notifications: { resourceSubscriptions: uris }, _meta: meta }
  const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }
  const events = await openEvents(bridge.url, postInit(message, headers))
  expect(await events.nextMessage()).toMatchObject({ params: { notifications: { resourceSubscriptions: uris } } })
  return events
}

/** The addresses of the next notifications, sorted. */
async function heard(events: EventReader, count: number): Promise<string[]> {
  const uris: string[] = []
  while (uris.length < count) {
    const message = (await events.nextMessage()) as { params: { uri: string } }
    uris.push(message.params.uri)
  }
  return uris.toSorted()
}

const PAGES = ['iii://functions', 'iii://triggers', 'iii://workers']

describe('whoever subscribed to what there is on the engine', () => {
  it('hears that a worker came with a function and a trigger, and that it left', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const events = await listen(bridge, PAGES)
    const newcomer = registerWorker(engine.url, { name: 'newcomer' })
    newcomer.registerFunction('new::one', () => 1)
    newcomer.registerTrigger({ type: 'subscribe', function_id: 'new::one', config: { topic: 't' } })
    await newcomer.ready()
    expect(await heard(events, 3)).toEqual(PAGES)
    await newcomer.shutdown()
    expect(await heard(events, 3)).toEqual(PAGES)
    events.leave()
  })

  it('hears of a trigger that was added later within some seconds, though the engine has no event for it', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('one::a', () => 1)
    await bridge.other.ready()
    const events = await listen(bridge, ['iii://triggers'])
    // What the worker brought with it is told first.
    await bridge.result('resources/read', { uri: 'iii://triggers' })
    bridge.other.registerTrigger({ type: 'subscribe', function_id: 'one::a', config: { topic: 'late' } })
    expect(await heard(events, 1)).toEqual(['iii://triggers'])
    events.leave()
  })

  it('hears of the single item alone, however its address is written', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    const one = bridge.other.registerFunction('new::one', () => 1)
    await bridge.other.ready()
    const uris = ['iii://functions/new%3A%3Aone', 'iii://functions/new::one']
    const events = await listen(bridge, uris)
    bridge.other.registerFunction('new::two', () => 1)
    await bridge.other.ready()
    one.unregister()
    expect(await heard(events, 2)).toEqual(uris)
    events.leave()
  })

  it('hears of what the operator shows and hides', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('one::a', () => 1)
    await bridge.other.ready()
    const events = await listen(bridge, ['iii://context', 'iii://functions', 'iii://functions/one::a'])
    bridge.set({ tier: 'ops' })
    expect(await heard(events, 3)).toEqual(['iii://context', 'iii://functions', 'iii://functions/one::a'])
    events.leave()
  })

  it('is not told that a worker is busy', async () => {
    let calls = 0
    const resources = createEngineResources({
      engine: {
        trigger: async <T>() => {
          calls += 1
          return { workers: [{ id: 'w', name: 'w', connected_at_ms: 1, active_invocations: calls }] } as T
        },
      },
      directory: {
        sight: createSight(),
        triggersOf: async () => new Map(),
        list: async () => [{ id: 'a::b', metadata: {}, worker: 'w' }],
        describe: async () => new Map(),
      },
      catalog: { async *details() {}, onEntries: () => undefined },
      gate: { admit: () => Promise.reject(new Error('not asked')) },
      rules: () => ({ requireExpose: false, exposeAll: false, tier: undefined, hiddenPrefixes: [] }),
      isOn: () => true,
      version: '1.2.3',
      timeoutMs: 1_000,
    })
    const seen: unknown[] = []
    const looks: string[] = []
    for (let time = 0; time < 2; time += 1) {
      seen.push(await resources.read({ kind: 'page', word: 'workers' }, 'iii://workers', EVERYBODY))
      looks.push(await resources.look('iii://workers', EVERYBODY))
      resources.forget()
    }
    expect(seen[0]).not.toEqual(seen[1])
    expect(looks[0]).toBe(looks[1])
  })
})

describe('a page', () => {
  it('has what the list of tools has, though the engine told of nothing yet', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 600_000 })
    await using bridge = await startBridge(engine)
    const readPage = async () => (await bridge.rpc('resources/read', { uri: 'iii://functions' })).text
    await bridge.toolNames()
    // It is kept for a moment from here on.
    expect(await readPage()).not.toContain('late::one')
    bridge.other.registerFunction('late::one', () => 1)
    await bridge.other.ready()
    await bridge.call('late__one')
    expect(await bridge.toolNames()).toContain('late__one')
    expect(await readPage()).toContain('late::one')
  })
})

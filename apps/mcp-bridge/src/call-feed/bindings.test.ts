import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import { isHeard, listenToCalls } from '../testing/call-listener.ts'

describe('a binding', () => {
  it.each([
    ['in an internal namespace', 'state::set', {}, /internal namespace/],
    [
      'whose config is wrong',
      'listener::odd',
      { inputs: 'yes' },
      /is \{\}, \{ "inputs": true \}, or has lists of kinds.*: config\.inputs: must be true or false/,
    ],
    [
      'with a word that is mistyped',
      'listener::mistyped',
      { kinds: ['tool', 'tols'], prinzipals: ['token:*'] },
      /config\.kinds\[1\]: must be one of .*section.*; config: .*prinzipals/,
    ],
    [
      'with a pattern that nothing fits',
      'listener::stray',
      { principals: ['token:*'], functions: ['orders::*', 'lab::*x'] },
      /has 'lab::\*x', which nothing fits: a \* stands at the end alone, as in 'orders::\*'/,
    ],
  ])('%s is refused', async (_, function_id, config, reason) => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const refused = new Promise((resolve) => {
      bridge.other.registerTrigger({ type: 'mcp::on-call', function_id, config, onError: resolve })
    })
    expect(await refused).toMatchObject({ message: expect.stringMatching(reason) })
  })
})

describe('several bridges on one engine', () => {
  it('all tell, whoever the engine tells of a subscriber, and also when that one has left', async () => {
    await using engine = await startMockEngine()
    await using first = await startBridge(engine, { options: { apiPath: 'first' } })
    const early = await listenToCalls(first.other, {}, { id: 'listener::early' })
    await isHeard(first, early)
    await using third = await startBridge(engine, { options: { apiPath: 'third' } })
    {
      await using second = await startBridge(engine, { options: { apiPath: 'second' } })
      const late = await listenToCalls(first.other, { inputs: true }, { id: 'listener::late', metadata: { mine: 2 } })
      for (const bridge of [first, second, third]) {
        await isHeard(bridge, early)
        await isHeard(bridge, late)
      }
      late.unbind()
    }
    // The last to provide the type has left: the others go on, and a new subscriber is heard of.
    await isHeard(first, early)
    const next = await listenToCalls(third.other, {}, { id: 'listener::next' })
    for (const bridge of [first, third]) await isHeard(bridge, next)
    const vias = new Set(next.batches.map(({ via }) => via))
    expect(vias).toEqual(new Set([first, third].map(({ worker }) => `mcp::${worker.instance}`)))
  })

  it('leave the type to the one that provides it, as long as that one is there', async () => {
    await using engine = await startMockEngine()
    const providers: string[] = []
    engine.onFrame(({ workerId, frame }) => {
      if (frame['type'] === 'registertriggertype' && frame['id'] === 'mcp::on-call') providers.push(workerId)
    })
    await using second = await (async () => {
      await using first = await startBridge(engine, { options: { apiPath: 'first' } })
      await isHeard(first, await listenToCalls(first.other))
      const late = await startBridge(engine, { options: { apiPath: 'second' } })
      await isHeard(late, await listenToCalls(late.other, {}, { id: 'listener::second' }))
      expect(providers).toHaveLength(1)
      return late
    })()
    await isHeard(second, await listenToCalls(second.other, {}, { id: 'listener::left' }))
    expect(new Set(providers).size).toBe(2)
  })

  it('look again where the engine does not answer, though nothing else happens', async () => {
    await using engine = await startMockEngine()
    const list = 'engine::registered-triggers::list'
    const answers = engine.inject({ fault: 'fail-call', function: list, code: 'TIMEOUT' })
    let asked = 0
    engine.onFrame(({ frame }) => {
      if (frame['type'] === 'invokefunction' && frame['function_id'] === list) asked++
    })
    await using bridge = await startBridge(engine)
    const listener = await listenToCalls(bridge.other)
    const before = asked
    await vi.waitFor(() => expect(asked).toBeGreaterThan(before + 6), 5_000)
    answers()
    await isHeard(bridge, listener)
  })

  it.each([
    ['answers who hears', undefined],
    ['refuses to list them', 'FORBIDDEN'],
  ])('go on when the engine was restarted, where it %s', async (_, code) => {
    await using engine = await startMockEngine()
    if (code !== undefined) engine.inject({ fault: 'fail-call', function: 'engine::registered-triggers::list', code })
    await using bridge = await startBridge(engine)
    const listener = await listenToCalls(bridge.other)
    await isHeard(bridge, listener)
    await engine.restart()
    await Promise.all([bridge.worker.ready(), bridge.other.ready()])
    await isHeard(bridge, listener)
  })
})

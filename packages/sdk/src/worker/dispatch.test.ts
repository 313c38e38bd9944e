import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Call } from '../engine/call.ts'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'

describe('a handler', () => {
  it('gets payload, metadata and who called, which is not part of the payload', async () => {
    await using stage = await startScriptedStage()
    const seen: unknown[] = []
    stage.worker.registerFunction('a::b', (payload, metadata, call) => {
      seen.push(payload, metadata, call.callerWorkerId)
      expect(call).toMatchObject({
        functionId: 'a::b',
        invocationId: expect.any(String),
        signal: expect.any(AbortSignal),
      })
      expect(call.bytes).toBeGreaterThan(100)
    })
    await invoke(stage.peer, 'a::b', { x: 1, _caller_worker_id: 'w-9' }, { metadata: { m: 1 } })
    await invoke(stage.peer, 'a::b', [1])
    expect(seen).toEqual([{ x: 1 }, { m: 1 }, 'w-9', [1], undefined, undefined])
  })

  it('never shows the caller to a strict schema', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::b', (payload) => payload, { request_format: z.strictObject({ x: z.number() }) })
    expect(await invoke(stage.peer, 'a::b', { x: 1, _caller_worker_id: 'w-9' })).toMatchObject({ result: { x: 1 } })
  })

  it('sees the metadata of its trigger without what the SDK put there', async () => {
    await using stage = await startScriptedStage()
    const seen: unknown[] = []
    stage.worker.registerFunction('a::b', (_, metadata) => void seen.push(metadata))
    const { instance } = stage.worker
    await invoke(stage.peer, 'a::b', {}, { metadata: { k: 1, 'iii.instance': instance } })
    await invoke(stage.peer, 'a::b', {}, { metadata: { 'iii.instance': instance } })
    await invoke(stage.peer, 'a::b', {}, { metadata: { 'iii.instance': 'somebody else' } })
    await invoke(stage.peer, 'a::b', {}, { metadata: null })
    expect(seen).toEqual([{ k: 1 }, undefined, { 'iii.instance': 'somebody else' }, undefined])
  })

  it.each([undefined, null])('may return %s', async (nothing) => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::b', () => nothing)
    const answer = await invoke(stage.peer, 'a::b', {})
    expect(answer).not.toHaveProperty('result')
    expect(answer).not.toHaveProperty('error')
  })

  it('may take its time while others answer', async () => {
    await using stage = await startScriptedStage()
    let finish: (value: string) => void = () => undefined
    stage.worker.registerFunction(
      'a::slow',
      () =>
        new Promise<string>((resolve) => {
          finish = resolve
        }),
    )
    stage.worker.registerFunction('a::quick', () => 'quick')
    const slow = invoke(stage.peer, 'a::slow', {})
    expect(await invoke(stage.peer, 'a::quick', {})).toMatchObject({ result: 'quick' })
    finish('slow')
    expect(await slow).toMatchObject({ result: 'slow' })
  })

  it('answers nobody when nobody waits', async () => {
    await using stage = await startScriptedStage()
    let handled = 0
    stage.worker.registerFunction('a::b', () => ++handled)
    stage.peer.send({ type: 'invokefunction', function_id: 'a::b', data: {} })
    stage.peer.send({ type: 'invokefunction', invocation_id: null, function_id: 'a::b', data: {} })
    await stage.worker.ready()
    expect(handled).toBe(2)
    expect(stage.peer.frames.some(({ type }) => type === 'invocationresult')).toBe(false)
  })
})

describe('a shutdown', () => {
  it('lets running handlers finish, tells them, and refuses new calls', async () => {
    await using stage = await startScriptedStage()
    const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve))
    let refused: ReturnType<typeof invoke> | undefined
    stage.worker.registerFunction('a::first', (_payload, _metadata, call: Call) => aborted(call.signal))
    stage.worker.registerFunction('a::last', async (_payload, _metadata, call: Call) => {
      await aborted(call.signal)
      refused = invoke(stage.peer, 'a::late', {})
      await refused
      return 'finished'
    })
    stage.worker.registerFunction('a::late', () => 'too late')
    const running = ['a::first', 'a::last'].map((id) => invoke(stage.peer, id, {}))
    await stage.worker.ready()
    const hook: string[] = []
    stage.worker.onShutdown(() => void hook.push(stage.worker.state))
    // It ends with its handlers, and not because it has waited for long enough.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const stopping = stage.worker.shutdown().finally(() => vi.useRealTimers())
    const [, last] = await Promise.all(running)
    expect(last).toMatchObject({ result: 'finished' })
    expect(await refused).toMatchObject({ error: { message: expect.stringContaining('This worker is shutting down') } })
    await stopping
    await stage.peer.closed
    expect(hook).toEqual(['connected'])
  })

  it('is over within two seconds, however long a handler takes', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::b', () => new Promise(() => undefined))
    void invoke(stage.peer, 'a::b', {})
    await stage.worker.ready()
    stage.worker.onShutdown(() => new Promise(() => undefined))
    stage.peer.freeze()
    const startedAt = performance.now()
    await stage.worker.shutdown()
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })

  it('sends what would have been said again, and leaves no listener on the process', async () => {
    const before = process.eventNames().map((name) => [name, process.listenerCount(name)])
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::b', () => 'now')
    // Only what was ready at once is said again, and a busy machine may take longer.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    await invoke(stage.peer, 'a::b', {})
    await stage.worker.shutdown()
    clock.mockRestore()
    await stage.peer.closed
    expect(stage.peer.frames.filter(({ result }) => result === 'now')).toHaveLength(2)
    expect(process.eventNames().map((name) => [name, process.listenerCount(name)])).toEqual(before)
  })
})

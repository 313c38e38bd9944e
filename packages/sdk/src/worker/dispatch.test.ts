import { Fault } from '@iii/protocol'
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

describe('what a handler throws', () => {
  it.each<[string, () => unknown, string]>([
    [
      'a fault with its code',
      () => {
        throw new Fault('not_found', 'No such order')
      },
      'No such order [not_found]',
    ],
    [
      'an error',
      () => {
        throw new Error('disk full')
      },
      'disk full',
    ],
    ['a rejection', () => Promise.reject(new Error('later')), 'later'],
    [
      'an error without a text',
      () => {
        throw new TypeError()
      },
      'TypeError',
    ],
    [
      'a string',
      () => {
        throw 'just text'
      },
      'just text',
    ],
    [
      'nothing',
      () => {
        throw undefined
      },
      'undefined',
    ],
    [
      'an object with a message',
      () => {
        throw { message: 'No such order', code: 404 }
      },
      'No such order',
    ],
    [
      'an object without one',
      () => {
        throw { code: 404 }
      },
      '[object Object] was thrown, which is no Error and has no message',
    ],
    [
      'what cannot be shown',
      () => {
        throw {
          toString() {
            throw new Error('not even that')
          },
        }
      },
      'unknown error',
    ],
    [
      'an error that carries a stack',
      () => {
        throw new Error(new Error('inner').stack)
      },
      'Error: inner',
    ],
    [
      'an error that tells of the machine',
      () => {
        throw new Error("ENOENT: open '/data/orders.json', password=hunter2")
      },
      "ENOENT: open '<path>', password=<secret>",
    ],
    [
      'the fault of another function, whose code stays however long its text is',
      () => {
        throw new Error(`${'x'.repeat(5000)} [not_found]`)
      },
      `${'x'.repeat(4093)}… [not_found]`,
    ],
    [
      'a fault as it was written',
      () => {
        throw new Fault('invalid_input', 'No file /data/orders.json')
      },
      'No file /data/orders.json [invalid_input]',
    ],
    [
      'a fault that carries a stack',
      () => {
        throw new Fault('internal', new Error('inner').stack ?? '')
      },
      'Error: inner [internal]',
    ],
  ])('reaches the caller as text: %s', async (_, handler, message) => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::b', handler)
    const { error } = await invoke(stage.peer, 'a::b', {})
    expect(error).toEqual({ code: 'invocation_failed', message })
  })

  it('is in the log as it is, unless it was thrown on purpose', async () => {
    await using stage = await startScriptedStage()
    const error = new Error('no /data/orders.json')
    stage.worker.registerFunction('a::b', () => {
      throw error
    })
    stage.worker.registerFunction('a::c', () => {
      throw new Fault('not_found', 'No such order')
    })
    await invoke(stage.peer, 'a::b', {})
    await invoke(stage.peer, 'a::c', {})
    expect(stage.log.lines.filter(({ message }) => message === 'a handler failed')).toMatchObject([
      { level: 'debug', fields: { function_id: 'a::b', err: error } },
    ])
  })

  it('is also what cannot be sent', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::number', () => ({ n: Number.NaN }))
    stage.worker.registerFunction('a::large', async () => 'x'.repeat(17 * 1024 * 1024))
    const message = async (id: string) => (await invoke(stage.peer, id, {})).error?.message
    expect(await message('a::number')).toBe(
      'The result of a::number holds NaN at n, which is not a JSON number [invalid_input]',
    )
    expect(await message('a::large')).toMatch(/^The result of a::large makes a message of 178\d+ bytes.*\[too_large\]$/)
  })

  it('says that a function is not ours', async () => {
    await using stage = await startScriptedStage()
    expect(await invoke(stage.peer, 'nobody::home', {})).toMatchObject({ error: { code: 'function_not_found' } })
  })
})

describe('a shutdown', () => {
  it('lets running handlers finish, tells them, and refuses new calls', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction(
      'a::b',
      (_payload, _metadata, call: Call) =>
        new Promise((resolve) => call.signal.addEventListener('abort', () => setImmediate(resolve, 'finished'))),
    )
    stage.worker.registerFunction('a::c', () => 'too late')
    const running = invoke(stage.peer, 'a::b', {})
    await stage.worker.ready()
    const hook: string[] = []
    stage.worker.onShutdown(() => void hook.push(stage.worker.state))
    const stopping = stage.worker.shutdown()
    expect(await running).toMatchObject({ result: 'finished' })
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

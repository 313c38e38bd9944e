import { getEventListeners } from 'node:events'
import { Fault, toFault } from '@iii/protocol'
import { describe, expect, it, vi } from 'vitest'
import { TriggerAction } from '../engine/call.ts'
import { InvocationError } from '../engine/invocation-error.ts'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { greet, startScriptedEngine } from '../testing/scripted-engine.ts'
import { startScriptedStage } from '../testing/start-worker.ts'
import { registerWorker } from '../worker/register-worker.ts'

async function errorOf(call: Promise<unknown>): Promise<InvocationError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof InvocationError) return error
  throw new Error(`no InvocationError but ${String(error)}`)
}

describe('a call', () => {
  it('carries payload and metadata and brings back the result', async () => {
    await using stage = await startScriptedStage()
    await stage.peer.next('invokefunction')
    const call = stage.worker.trigger<{ ok: boolean }>({ function_id: 'x::y', payload: [1], metadata: { m: 1 } })
    const frame = await stage.peer.next('invokefunction')
    expect(frame).toMatchObject({ function_id: 'x::y', data: [1], metadata: { m: 1 } })
    expect(frame['invocation_id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    stage.peer.send({ type: 'invocationresult', invocation_id: frame['invocation_id'], result: { ok: true } })
    expect((await call).ok).toBe(true)
  })

  it('fails with what the callee said', async () => {
    await using stage = await startScriptedStage()
    await stage.peer.next('invokefunction')
    const call = stage.worker.trigger({ function_id: 'x::y' })
    const { invocation_id } = await stage.peer.next('invokefunction')
    const error = { code: 'invocation_failed', message: 'No such order [not_found]', stacktrace: 'at secret' }
    stage.peer.send({ type: 'invocationresult', invocation_id, error })
    const failure = await errorOf(call)
    expect(failure).toMatchObject({
      code: 'invocation_failed',
      function_id: 'x::y',
      message: 'No such order [not_found]',
    })
    expect(toFault(failure)).toMatchObject({ code: 'not_found', message: 'No such order' })
  })

  it.each([
    [{ action: 'void' }, /The action of the call of a::b is none; make one with TriggerAction\.Void\(\) or/],
    [{ action: TriggerAction.Void }, /is none; make one with/],
    [{ action: TriggerAction.Enqueue(undefined as never) }, /is none; make one with/],
    [{ data: {} }, "The call of a::b has 'data', which is not read; did you mean 'payload'?"],
    [{ timeout: 5 }, "did you mean 'timeoutMs'?"],
  ])('is refused at once with %o, which the engine would drop or nobody would read', async (wrong, says) => {
    await using stage = await startScriptedStage()
    await expect(stage.worker.trigger({ function_id: 'a::b', ...(wrong as object) })).rejects.toThrow(says)
  })

  it('needs a function id and a payload that can be sent', async () => {
    await using stage = await startScriptedStage()
    await expect(stage.worker.trigger({ function_id: '' })).rejects.toThrow(Fault)
    await expect(stage.worker.trigger({ function_id: 'x', payload: { n: Number.NaN } })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await expect(
      stage.worker.trigger({ function_id: 'x', payload: 'x'.repeat(17 * 1024 * 1024) }),
    ).rejects.toMatchObject({
      code: 'too_large',
    })
    expect(stage.worker.state).toBe('connected')
  })

  it('has no invocation id when it is void, and an action when it is queued', async () => {
    await using stage = await startScriptedStage()
    await stage.peer.next('invokefunction')
    await expect(stage.worker.trigger({ function_id: 'v', action: TriggerAction.Void() })).resolves.toBeUndefined()
    const wordless = await stage.peer.next('invokefunction')
    expect(wordless).toEqual({ type: 'invokefunction', function_id: 'v', data: {}, action: { type: 'void' } })
    const receipt = stage.worker.trigger({ function_id: 'q', action: TriggerAction.Enqueue({ queue: 'mail' }) })
    const queued = await stage.peer.next('invokefunction')
    expect(queued['action']).toEqual({ type: 'enqueue', queue: 'mail' })
    stage.peer.send({
      type: 'invocationresult',
      invocation_id: queued['invocation_id'],
      result: { messageReceiptId: 'r' },
    })
    await expect(receipt).resolves.toEqual({ messageReceiptId: 'r' })
  })
})

describe('a call without an answer', () => {
  it('ends at its deadline and says that the outcome is unknown', async () => {
    await using stage = await startScriptedStage()
    const failure = await errorOf(stage.worker.trigger({ function_id: 'x::slow', timeoutMs: 20 }))
    expect(failure.code).toBe('TIMEOUT')
    expect(failure.message).toBe('x::slow did not answer within 20 ms: the outcome is unknown')
    expect(toFault(failure).code).toBe('deadline')
  })

  it('has the deadline of the worker when it names none', async () => {
    await using stage = await startScriptedStage({ callTimeoutMs: 30 })
    const failure = await errorOf(stage.worker.trigger({ function_id: 'x::slow' }))
    expect(failure.message).toMatch(/within 30 ms/)
  })

  it.each([Number.POSITIVE_INFINITY, 2 ** 40])(
    'may wait %d ms, which a timer would turn into one',
    async (timeoutMs) => {
      await using stage = await startScriptedStage()
      await stage.peer.next('invokefunction')
      const call = stage.worker.trigger({ function_id: 'x::y', timeoutMs })
      const { invocation_id } = await stage.peer.next('invokefunction')
      await stage.worker.ready()
      stage.peer.send({ type: 'invocationresult', invocation_id, result: 'in time' })
      await expect(call).resolves.toBe('in time')
    },
  )

  it('ends when its caller gives it up', async () => {
    await using stage = await startScriptedStage()
    const controller = new AbortController()
    const call = stage.worker.trigger({ function_id: 'x::y', signal: controller.signal })
    controller.abort(new Error('user left'))
    const failure = await errorOf(call)
    expect(failure).toMatchObject({ code: 'ABORTED', cause: new Error('user left') })
    const again = await errorOf(stage.worker.trigger({ function_id: 'x::z', signal: controller.signal }))
    expect(again.message).toMatch(/never sent/)
    await stage.worker.ready()
    expect(stage.peer.frames.some(({ function_id }) => function_id === 'x::z')).toBe(false)
  })

  it('shares its signal with many others, and nobody is warned of a leak', async () => {
    await using stage = await startScriptedStage()
    const { signal } = new AbortController()
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const calls = Array.from({ length: 20 }, () => stage.worker.trigger({ function_id: 'x::y', signal }))
    const ended = Promise.allSettled(calls)
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
    expect(getEventListeners(signal, 'abort')).toHaveLength(20)
    await stage.worker.shutdown()
    await ended
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('fails at once when the connection is lost', async () => {
    await using stage = await startScriptedStage()
    await stage.peer.next('invokefunction')
    const calls = [1, 2].map((n) => errorOf(stage.worker.trigger({ function_id: `x::${n}` })))
    await stage.peer.next('invokefunction')
    stage.peer.cut()
    const [one, two] = await Promise.all(calls)
    expect(one).toMatchObject({ code: 'connection_lost', function_id: 'x::1' })
    expect(two?.message).toMatch(
      /^The connection to the engine was lost while x::2 was called .*: the outcome is unknown$/,
    )
  })

  it('ignores an answer that comes too late or twice', async () => {
    await using stage = await startScriptedStage()
    await stage.peer.next('invokefunction')
    const call = errorOf(stage.worker.trigger({ function_id: 'x::y', timeoutMs: 10 }))
    const { invocation_id } = await stage.peer.next('invokefunction')
    expect((await call).code).toBe('TIMEOUT')
    stage.peer.send({ type: 'invocationresult', invocation_id, result: 1 })
    stage.peer.send({ type: 'invocationresult', invocation_id, result: 1 })
    await stage.worker.ready()
    expect(stage.worker.state).toBe('connected')
  })
})

describe('a call while there is no connection', () => {
  it('is sent when there is one, unless its deadline has passed by then', async () => {
    let open = false
    await using engine = await startScriptedEngine({ greeting: (n) => (open ? greet(n) : undefined) })
    await using worker = registerWorker(engine.url, {
      timings: { connectTimeoutMs: 60, retryMs: 20 },
      log: createRecordedLog(),
    })
    const kept = worker.trigger({ function_id: 'x::kept' })
    const expired = await errorOf(worker.trigger({ function_id: 'x::expired', timeoutMs: 10 }))
    expect(expired.code).toBe('TIMEOUT')
    expect(expired.message).toMatch(
      /^x::expired did not answer within 10 ms: it was never sent, because .* cannot be reached/,
    )
    open = true
    await worker.ready({ timeoutMs: 5_000 })
    const peer = engine.peers.at(-1)
    const sent = peer?.frames.filter(({ type }) => type === 'invokefunction').map(({ function_id }) => function_id)
    expect(sent).toEqual(['engine::workers::register', 'x::kept'])
    peer?.send({ type: 'invocationresult', invocation_id: peer.frames[1]?.['invocation_id'], result: 1 })
    await expect(kept).resolves.toBe(1)
  })

  it('is refused when too many wait already, at once', async () => {
    await using engine = await startScriptedEngine({ greeting: () => undefined })
    const worker = registerWorker(engine.url, { queue: { messages: 3 }, log: createRecordedLog() })
    const waiting = [1, 2, 3].map((n) => errorOf(worker.trigger({ function_id: `x::${n}` })))
    await expect(worker.trigger({ function_id: 'x::4' })).rejects.toMatchObject({ code: 'overloaded' })
    await expect(worker.trigger({ function_id: 'x::5', action: TriggerAction.Void() })).rejects.toBeInstanceOf(Fault)
    await worker.shutdown()
    expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual(['closed', 'closed', 'closed'])
  })

  it('survives a connection that is lost before it was sent', async () => {
    await using stage = await startScriptedStage()
    stage.peer.cut()
    await vi.waitFor(() => expect(stage.worker.state).toBe('connecting'))
    const call = stage.worker.trigger({ function_id: 'x::y' })
    const peer = await stage.engine.nextPeer()
    const { invocation_id } = await peer.next('invokefunction', ({ function_id }) => function_id === 'x::y')
    peer.send({ type: 'invocationresult', invocation_id, result: 'after' })
    await expect(call).resolves.toBe('after')
  })

  it('is refused when the engine has stopped reading', async () => {
    await using stage = await startScriptedStage()
    stage.peer.freeze()
    const payload = 'x'.repeat(8 * 1024 * 1024)
    const calls = Array.from({ length: 6 }, () => stage.worker.trigger({ function_id: 'x', payload, timeoutMs: 50 }))
    const results = await Promise.allSettled(calls)
    const codes = results.map((result) => (result.status === 'rejected' ? toFault(result.reason).code : 'ok'))
    expect(codes).toContain('overloaded')
    expect(codes.filter((code) => code === 'deadline').length).toBeGreaterThan(1)
  })
})

import { describe, expect, it } from 'vitest'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'
import { currentTrace } from './call-context.ts'

const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', baggage: 'tenant=7' }

describe('the trace context of a call', () => {
  it('goes on with every call made while it is handled, also later and side by side', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::first', async (payload: { to: string }) => {
      await new Promise((resolve) => setImmediate(resolve))
      return stage.worker.trigger({ function_id: payload.to })
    })
    const traced = invoke(stage.peer, 'a::first', { to: 'b::traced' }, trace)
    const other = invoke(stage.peer, 'a::first', { to: 'b::other' }, { traceparent: '00-other-01' })
    const plain = invoke(stage.peer, 'a::first', { to: 'b::plain' })
    const outside = stage.worker.trigger({ function_id: 'b::outside' })

    const calls = new Map<unknown, Record<string, unknown>>()
    while (calls.size < 5) {
      const frame = await stage.peer.next('invokefunction')
      calls.set(frame['function_id'], frame)
      stage.peer.send({ type: 'invocationresult', invocation_id: frame['invocation_id'] ?? '', result: 1 })
    }
    await Promise.all([traced, other, plain, outside])
    expect(calls.get('b::traced')).toMatchObject(trace)
    expect(calls.get('b::other')).toMatchObject({ traceparent: '00-other-01' })
    expect(calls.get('b::other')).not.toHaveProperty('baggage')
    expect(calls.get('b::plain')).not.toHaveProperty('traceparent')
    expect(calls.get('b::outside')).not.toHaveProperty('traceparent')
  })

  it('is handed on by the handlers of a worker that does not follow traces', async () => {
    await using stage = await startScriptedStage({ followsTraces: false })
    const { worker, peer } = stage
    worker.registerFunction('a::first', (_payload, _metadata, call) => {
      void worker.trigger({ function_id: 'b::handed', trace: call.trace }).catch(() => undefined)
      void worker.trigger({ function_id: 'b::plain' }).catch(() => undefined)
      return currentTrace() === undefined
    })
    expect(await invoke(peer, 'a::first', {}, trace)).toMatchObject({ result: true })
    const handed = await peer.next('invokefunction', ({ function_id }) => function_id === 'b::handed')
    expect(handed).toMatchObject(trace)
    const plain = await peer.next('invokefunction', ({ function_id }) => function_id === 'b::plain')
    expect(plain).not.toHaveProperty('traceparent')
  })
})

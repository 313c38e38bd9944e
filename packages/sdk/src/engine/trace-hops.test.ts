import { Fault } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'
import { countHop, currentTrace, MAX_HOPS, readHops, withHops, withTrace } from './call-context.ts'

describe('the count of hops', () => {
  it.each([
    [undefined, 0],
    ['', 0],
    ['tenant=7', 0],
    ['iii.mcp.hops=2', 2],
    ['a=1, iii.mcp.hops = 3 ;x=y ,b=2', 3],
    ['x.iii.mcp.hops=2,iii.mcp.hopsx=2', 0],
    ['iii.mcp.hops=1,iii.mcp.hops=3', 3],
    ['iii.mcp.hops=12', 12],
  ])('of %j is %d', (baggage, hops) => {
    expect(readHops(baggage)).toBe(hops)
  })

  it.each(['', '-1', '1.5', 'x', '1e9', '%32', '9999'])('that says %j is the limit', (value) => {
    expect(readHops(`iii.mcp.hops=${value}`)).toBe(MAX_HOPS)
  })

  it('keeps the other entries, stands first, and is read as it was written', () => {
    expect(withHops(undefined, 1)).toBe('iii.mcp.hops=1')
    expect(withHops('a=1,iii.mcp.hops=7,b=2;p', 2)).toBe('iii.mcp.hops=2,a=1,b=2;p')
    fc.assert(
      fc.property(fc.string(), fc.nat(9), (baggage, hops) => {
        expect(readHops(withHops(baggage, hops))).toBe(hops)
      }),
    )
  })

  it('grows with each step and ends at the limit, which is named', () => {
    const climb = (): number =>
      countHop('a::b', () => (readHops(currentTrace()?.baggage) === MAX_HOPS ? MAX_HOPS : climb()))
    expect(climb()).toBe(MAX_HOPS)
    const tooFar = () => withTrace({ baggage: `iii.mcp.hops=${MAX_HOPS}` }, () => countHop('a::b', () => 'called'))
    expect(tooFar).toThrow(Fault)
    expect(tooFar).toThrow(/^a::b is refused: .* 4 is the limit/)
  })

  it('goes out with the calls of the step, beside the rest of the trace, and with no other call', async () => {
    await using stage = await startScriptedStage()
    const { worker, peer } = stage
    worker.registerFunction('a::b', () => {
      void countHop('c::d', () => worker.trigger({ function_id: 'c::step' })).catch(() => undefined)
      void worker.trigger({ function_id: 'c::plain' }).catch(() => undefined)
    })
    await invoke(peer, 'a::b', {}, { traceparent: '00-t-01', baggage: 'iii.mcp.hops=1,tenant=7' })
    const step = await peer.next('invokefunction', ({ function_id }) => function_id === 'c::step')
    expect(step).toMatchObject({ traceparent: '00-t-01', baggage: 'iii.mcp.hops=2,tenant=7' })
    const plain = await peer.next('invokefunction', ({ function_id }) => function_id === 'c::plain')
    expect(plain).toMatchObject({ baggage: 'iii.mcp.hops=1,tenant=7' })
    void countHop('c::d', () => worker.trigger({ function_id: 'c::first' })).catch(() => undefined)
    const first = await peer.next('invokefunction', ({ function_id }) => function_id === 'c::first')
    expect(first['baggage']).toBe('iii.mcp.hops=1')
  })
})

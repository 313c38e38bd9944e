import { describe, expect, it } from 'vitest'
import { type AnyFrame, isPresentation, type Peer, welcome } from '../testing/scripted-engine.ts'
import { startScriptedStage } from '../testing/start-worker.ts'

const NOTHING = { registerTrigger: () => undefined, unregisterTrigger: () => undefined }

const refusal = (id: unknown) => ({
  type: 'registrationrejected',
  code: 'FUNCTION_NAMESPACE_CONFLICT',
  function_id: id,
  owner_worker_id: 'w-1',
})

const said = (peer: Peer) =>
  peer.frames.flatMap(({ type, id, function_id }: AnyFrame) =>
    type.startsWith('register') ? `${type.slice(8)} ${String(function_id ?? id)}` : [],
  )

describe('what the engine gives to whoever says it last', () => {
  it('is not said on a new connection for functions that another worker has', async () => {
    await using stage = await startScriptedStage(
      {},
      { welcome: (call, nth) => (nth === 1 ? welcome(call) : undefined) },
    )
    stage.worker.registerFunction('shop::buy', () => null)
    stage.worker.registerFunction('shop::sell', () => null)
    await stage.worker.ready()
    stage.worker.registerTrigger({ type: 'http', function_id: 'shop::buy', config: { api_path: 'buy' } })
    stage.worker.registerTrigger({ type: 'http', function_id: 'shop::sell', config: { api_path: 'sell' } })
    stage.worker.registerTrigger({ type: 'cron', function_id: 'shop::buy', config: { expression: '@daily' } })
    stage.worker.registerTriggerType({ id: 'shop::changed' }, NOTHING)
    await stage.worker.ready()
    expect(said(stage.peer).slice(2)).toEqual([
      'trigger shop::buy',
      'trigger shop::sell',
      'trigger shop::buy',
      'triggertype shop::changed',
    ])
    stage.peer.cut()
    const peer = await stage.engine.nextPeer()
    const presentation = await peer.next('invokefunction', isPresentation)
    peer.send(refusal('shop::buy'))
    peer.send(welcome(presentation))
    await stage.worker.ready()
    expect(said(peer)).toEqual(['function shop::buy', 'function shop::sell', 'trigger shop::sell'])
  })

  it('waits on a connection that is up until the engine could have refused the function', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('shop::buy', () => null)
    stage.worker.registerTrigger({ type: 'http', function_id: 'shop::buy', config: { api_path: 'buy' } })
    stage.worker.registerTriggerType({ id: 'shop::changed' }, NOTHING)
    expect(said(stage.peer)).toEqual([])
    await stage.worker.ready()
    expect(said(stage.peer)).toEqual(['function shop::buy', 'trigger shop::buy', 'triggertype shop::changed'])
    // The one before was for the function, this is for what is built on it.
    expect(stage.peer.frames.at(-1)?.type).toBe('ping')
  })

  it('is never said when it did', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('shop::buy', () => null)
    stage.worker.registerTrigger({ type: 'http', function_id: 'shop::buy', config: { api_path: 'buy' } })
    stage.worker.registerTriggerType({ id: 'shop::changed' }, NOTHING)
    stage.peer.send(refusal('shop::buy'))
    await stage.worker.ready()
    await stage.worker.ready()
    expect(said(stage.peer)).toEqual(['function shop::buy'])
  })

  it('waits for nothing where it leads to a function of somebody else', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerTrigger({ type: 'http', function_id: 'other::buy', config: { api_path: 'buy' } })
    stage.worker.registerTriggerType({ id: 'shop::changed' }, NOTHING)
    await stage.worker.ready()
    expect(stage.peer.frames.map(({ type }) => type).slice(-3)).toEqual([
      'registertrigger',
      'registertriggertype',
      'ping',
    ])
  })
})

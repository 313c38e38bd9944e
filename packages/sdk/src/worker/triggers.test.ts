import { Fault } from '@iii/protocol'
import { describe, expect, it, vi } from 'vitest'
import { startScriptedStage } from '../testing/start-worker.ts'

describe('a trigger', () => {
  it('is registered with its config and the metadata as given plus who registered it', async () => {
    await using stage = await startScriptedStage()
    const trigger = stage.worker.registerTrigger({
      type: 'http',
      function_id: 'a::b',
      config: { api_path: '/x', http_method: 'POST' },
      metadata: { k: 1 },
    })
    expect(await stage.peer.next('registertrigger')).toEqual({
      type: 'registertrigger',
      id: trigger.id,
      trigger_type: 'http',
      function_id: 'a::b',
      config: { api_path: '/x', http_method: 'POST' },
      metadata: { k: 1, 'iii.instance': stage.worker.instance },
    })
  })

  it('always has a config, without which the engine drops it', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerTrigger({ type: 'engine::functions-available', function_id: 'a::b' })
    expect(await stage.peer.next('registertrigger')).toMatchObject({ config: {} })
  })

  it.each([
    [
      { type: 'state', functionId: 'a::b' },
      "A trigger has 'functionId', which is not read; did you mean 'function_id'?",
    ],
    [{ type: 'state' }, 'A trigger needs the function_id that it calls'],
    [{ type: 'state', function_id: '' }, 'A trigger needs the function_id that it calls'],
    [{ function_id: 'a::b' }, "A trigger needs the type of what it waits for, for example 'http'"],
    [{ typ: 'state', function_id: 'a::b' }, "did you mean 'type'?"],
  ])('is refused where it is written, and leaves the worker alive: %o', async (input, says) => {
    await using stage = await startScriptedStage()
    expect(() => stage.worker.registerTrigger(input as never)).toThrow(says)
    await stage.worker.ready()
  })

  it('keeps its id over a reconnect, and is gone once it was taken back', async () => {
    await using stage = await startScriptedStage()
    const kept = stage.worker.registerTrigger({ type: 'cron', function_id: 'a::b', config: { expression: 'x' } })
    const gone = stage.worker.registerTrigger({ type: 'state', function_id: 'a::b' })
    gone.unregister()
    gone.unregister()
    expect(await stage.peer.next('unregistertrigger')).toEqual({
      type: 'unregistertrigger',
      id: gone.id,
      trigger_type: 'state',
    })
    await stage.worker.ready()
    expect(stage.peer.frames.filter(({ type }) => type === 'unregistertrigger')).toHaveLength(1)
    stage.peer.cut()
    const peer = await stage.engine.nextPeer()
    await stage.worker.ready()
    expect(peer.frames.filter(({ type }) => type === 'registertrigger').map(({ id }) => id)).toEqual([kept.id])
  })

  it('is said once more when it is refreshed', async () => {
    await using stage = await startScriptedStage()
    const trigger = stage.worker.registerTrigger({ type: 'state', function_id: 'a::b' })
    const first = await stage.peer.next('registertrigger')
    trigger.refresh()
    expect(await stage.peer.next('registertrigger')).toEqual(first)
  })

  it('tells the log and its owner when the provider refuses it', async () => {
    await using stage = await startScriptedStage()
    const onError = vi.fn()
    const { id } = stage.worker.registerTrigger({
      type: 'cron',
      function_id: 'a::b',
      config: { expression: 'x' },
      onError,
    })
    const error = { code: 'trigger_registration_failed', message: 'Cron expression is required' }
    stage.peer.send({ type: 'triggerregistrationresult', id, trigger_type: 'cron', function_id: 'a::b', error })
    stage.peer.send({
      type: 'triggerregistrationresult',
      id: 'unknown',
      trigger_type: 'cron',
      function_id: 'a::b',
      error,
    })
    stage.peer.send({ type: 'triggerregistrationresult', id, trigger_type: 'cron', function_id: 'a::b' })
    await vi.waitFor(() => expect(onError).toHaveBeenCalledExactlyOnceWith(error))
    expect(stage.log.messages('error')).toEqual(['trigger registration failed: Cron expression is required'])
  })

  it('that the engine would not survive is refused before it is sent', async () => {
    await using stage = await startScriptedStage()
    const { worker } = stage
    const http = (api_path: string) =>
      worker.registerTrigger({ type: 'http', function_id: 'a::b', config: { api_path } })
    expect(() => http('/{x}')).toThrow(Fault)
    // @ts-expect-error the stream has to be named
    expect(() => worker.registerTrigger({ type: 'stream', function_id: 'a::b' })).toThrow(/config.stream_name/)
    // @ts-expect-error nor is it said when
    expect(() => worker.registerTrigger({ type: 'cron', function_id: '' })).toThrow(/needs the function_id/)
    const first = http('/o/:id')
    expect(() => http('/o/:key')).toThrow(
      "api_path '/o/:key' and '/o/:id' name the same parameter differently; use one name",
    )
    first.unregister()
    expect(http('/o/:key').id).toBeTypeOf('string')
    await worker.ready()
    expect(stage.peer.frames.filter(({ type }) => type === 'registertrigger')).toHaveLength(2)
  })
})

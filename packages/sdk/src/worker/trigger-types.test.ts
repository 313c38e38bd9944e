import { Fault } from '@iii/protocol'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { startScriptedStage } from '../testing/start-worker.ts'

const bind = (id: string, rest: object = {}) => ({
  type: 'registertrigger',
  id,
  trigger_type: 'a::changed',
  function_id: 'sub::on',
  config: { k: 1 },
  ...rest,
})

describe('a trigger type', () => {
  it('is registered with its schemas and always has a description', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerTriggerType(
      {
        id: 'a::changed',
        trigger_request_format: z.object({ k: z.number() }),
        call_request_format: { type: 'object' },
      },
      { registerTrigger: () => undefined, unregisterTrigger: () => undefined },
    )
    expect(await stage.peer.next('registertriggertype')).toMatchObject({
      id: 'a::changed',
      description: '',
      trigger_request_format: { type: 'object', required: ['k'] },
      call_request_format: { type: 'object' },
    })
  })

  it('that others provide too is said when that is asked for alone, on each connection anew', async () => {
    await using stage = await startScriptedStage()
    const handler = { registerTrigger: () => undefined, unregisterTrigger: () => undefined }
    const type = stage.worker.registerTriggerType({ id: 'a::shared', shared: true }, handler)
    stage.worker.registerTriggerType({ id: 'a::own' }, handler)
    const saidTo = async ({ frames }: typeof stage.peer) => {
      await stage.worker.ready()
      return frames.filter(({ type: kind }) => kind === 'registertriggertype').map(({ id }) => id)
    }
    expect(await saidTo(stage.peer)).toEqual(['a::own'])
    type.refresh()
    expect(await saidTo(stage.peer)).toEqual(['a::own', 'a::shared'])
    stage.peer.cut()
    const next = await stage.engine.nextPeer()
    await next.next('registertriggertype')
    expect(await saidTo(next)).toEqual(['a::own'])
    type.refresh()
    expect(await saidTo(next)).toEqual(['a::own', 'a::shared'])
  })

  it('is told of bindings with their metadata, answers each, and is told when they end', async () => {
    await using stage = await startScriptedStage()
    const registerTrigger = vi.fn()
    const unregisterTrigger = vi.fn()
    stage.worker.registerTriggerType({ id: 'a::changed' }, { registerTrigger, unregisterTrigger })
    stage.peer.send(bind('b-1', { metadata: { m: 1 } }))
    expect(await stage.peer.next('triggerregistrationresult')).toEqual({
      type: 'triggerregistrationresult',
      id: 'b-1',
      trigger_type: 'a::changed',
      function_id: 'sub::on',
    })
    expect(registerTrigger).toHaveBeenCalledWith({
      id: 'b-1',
      function_id: 'sub::on',
      config: { k: 1 },
      metadata: { m: 1 },
      namespace: 'default',
    })
    stage.peer.send({ type: 'unregistertrigger', id: 'b-1' })
    await vi.waitFor(() => expect(unregisterTrigger).toHaveBeenCalledExactlyOnceWith({ id: 'b-1' }))
  })

  it('refuses a binding by throwing', async () => {
    await using stage = await startScriptedStage()
    const unregisterTrigger = vi.fn()
    const registerTrigger = () => Promise.reject(new Fault('forbidden', 'not for you'))
    stage.worker.registerTriggerType({ id: 'a::changed' }, { registerTrigger, unregisterTrigger })
    stage.peer.send(bind('b-1'))
    expect(await stage.peer.next('triggerregistrationresult')).toMatchObject({
      error: { code: 'trigger_registration_failed', message: 'not for you [forbidden]' },
    })
    stage.peer.send({ type: 'unregistertrigger', id: 'b-1', trigger_type: 'a::changed' })
    await stage.worker.ready()
    expect(unregisterTrigger).not.toHaveBeenCalled()
  })

  it('hears of one binding in the order things happened, however long it takes', async () => {
    await using stage = await startScriptedStage()
    const heard: string[] = []
    const gate = withResolvers()
    stage.worker.registerTriggerType(
      { id: 'a::changed' },
      {
        async registerTrigger({ id }) {
          if (id === 'slow') await gate.promise
          heard.push(`+${id}`)
        },
        unregisterTrigger: ({ id }) => void heard.push(`-${id}`),
      },
    )
    stage.peer.send(bind('slow'))
    stage.peer.send({ type: 'unregistertrigger', id: 'slow', trigger_type: 'a::changed' })
    stage.peer.send(bind('other'))
    await vi.waitFor(() => expect(heard).toEqual(['+other']))
    gate.resolve(undefined)
    await vi.waitFor(() => expect(heard).toEqual(['+other', '+slow', '-slow']))
  })

  it('that is not ours (any more) is answered with trigger_type_not_found', async () => {
    await using stage = await startScriptedStage()
    const handler = { registerTrigger: () => undefined, unregisterTrigger: () => undefined }
    const type = stage.worker.registerTriggerType({ id: 'a::changed' }, handler)
    expect(() => stage.worker.registerTriggerType({ id: 'a::changed' }, handler)).toThrow(Fault)
    type.unregister()
    stage.peer.send(bind('b-1'))
    expect(await stage.peer.next('triggerregistrationresult')).toMatchObject({
      error: { code: 'trigger_type_not_found' },
    })
  })
})

function withResolvers() {
  let resolve: (value: unknown) => void = () => undefined
  const promise = new Promise((done) => {
    resolve = done
  })
  return { promise, resolve }
}

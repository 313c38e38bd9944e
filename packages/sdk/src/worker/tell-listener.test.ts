import { describe, expect, it, vi } from 'vitest'
import { startScriptedStage } from '../testing/start-worker.ts'

const fail = () => {
  throw new Error('out of cups')
}

describe('a listener that throws', () => {
  it.each([
    ['at once', fail],
    ['later', async () => fail()],
  ])('to the state, %s, keeps neither the worker nor the next one from going on', async (_, listener) => {
    await using stage = await startScriptedStage()
    const states: string[] = []
    stage.worker.onStateChange(listener as () => void)
    stage.worker.onStateChange((state) => states.push(state))
    stage.peer.cut()
    await stage.engine.nextPeer()
    await stage.worker.ready()
    expect(states).toEqual(['connecting', 'connected'])
    expect(stage.log.messages('error')).toContain('a listener to the state failed')
  })

  it('to what a provider says of a trigger does not cost the connection', async () => {
    await using stage = await startScriptedStage()
    const trigger = { type: 'tea::on-pour', function_id: 'tea::greet', optional: true, onError: fail }
    const { id } = stage.worker.registerTrigger(trigger)
    const error = { code: 'trigger_registration_failed', message: 'No' }
    const result = { id, trigger_type: trigger.type, function_id: trigger.function_id, error }
    stage.peer.send({ type: 'triggerregistrationresult', ...result })
    const says = "onError of a trigger of type 'tea::on-pour' failed"
    await vi.waitFor(() => expect(stage.log.messages('error')).toContain(says))
    await stage.worker.ready()
  })
})

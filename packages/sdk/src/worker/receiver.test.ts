import { expect, it, vi } from 'vitest'
import { startScriptedStage } from '../testing/start-worker.ts'

it('functions that another worker has already are told together, with whose they are', async () => {
  await using stage = await startScriptedStage()
  for (const function_id of ['a::b', 'a::c']) {
    stage.worker.registerFunction(function_id, () => null)
    stage.peer.send({
      type: 'registrationrejected',
      code: 'FUNCTION_NAMESPACE_CONFLICT',
      function_id,
      owner_worker_id: 'w-1',
    })
  }
  await vi.waitFor(() =>
    expect(stage.log.messages('warn')).toEqual([
      'another live worker (id w-1) has a::b, a::c already and gets the calls, so this worker is not called there. Stop one of them, or give the functions other ids',
    ]),
  )
  expect(stage.worker.state).toBe('connected')
})

it('a function that the engine keeps for itself needs another id', async () => {
  await using stage = await startScriptedStage()
  stage.worker.registerFunction('engine::mine', () => null)
  stage.peer.send({
    type: 'registrationrejected',
    code: 'FUNCTION_NAMESPACE_CONFLICT',
    function_id: 'engine::mine',
    owner_worker_id: '',
  })
  await vi.waitFor(() =>
    expect(stage.log.messages('error')).toEqual(['the engine keeps engine::mine for itself; give it another id']),
  )
})

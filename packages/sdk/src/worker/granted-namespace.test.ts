import { startMockEngine } from '@iii/mock-engine'
import { expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { startMockStage } from '../testing/mock-stage.ts'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { registerWorker } from './register-worker.ts'

const auth = 'guard::auth'

it('a worker that may only live in one namespace leaves another before it is put into default', async () => {
  await using stage = await startMockStage(() =>
    startMockEngine({ engine: '0.23', namespaceGraceMs: 150, restricted: { authFunctionId: auth } }),
  )
  const guard = await stage.connect({ name: 'guard' })
  const grant = {
    allowed_functions: [],
    forbidden_functions: [],
    allow_trigger_type_registration: true,
    allow_function_registration: true,
    namespaces: { orders: ['orders::*'] },
  }
  guard.registerFunction(auth, () => grant)
  await guard.ready()
  const log = createRecordedLog()
  const url = stage.engine.restrictedUrl ?? ''
  await using misplaced = registerWorker(url, { name: 'misplaced', log })
  misplaced.registerFunction('misplaced::f', () => null)
  await vi.waitFor(() => expect(log.messages('error')).toEqual(['the engine refused this worker; trying again']), 5_000)
  expect(log.lines[0]?.fields['reason']).toContain("namespace 'default' not allowed for this session")
  await using placed = registerWorker(url, { name: 'placed', namespace: 'orders', log })
  placed.registerFunction('orders::f', () => 'placed')
  await placed.ready({ timeoutMs: 5_000 })
  expect(await guard.trigger({ function_id: 'orders::f', namespace: 'orders' })).toBe('placed')
  // Where the engine puts somebody who stays and does not say who he is, and when.
  const silent = new WebSocket(stage.engine.url)
  silent.on('open', () => silent.send(JSON.stringify({ type: 'registerfunction', id: 'silent::f' })))
  const ids = { function_ids: ['silent::f'] }
  const isThere = async () => {
    const { functions } = await guard.trigger<{ functions: { error?: string }[] }>({
      function_id: 'engine::functions::info',
      payload: ids,
    })
    return functions.every(({ error }) => error === undefined)
  }
  await vi.waitFor(async () => expect(await isThere()).toBe(true), 5_000)
  silent.terminate()
  await expect(guard.trigger({ function_id: 'misplaced::f' })).rejects.toMatchObject({ code: 'function_not_found' })
  expect(misplaced.state).toBe('connecting')
})

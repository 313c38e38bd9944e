import { once } from 'node:events'
import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { InvocationError } from '../engine/invocation-error.ts'
import { startMockStage } from '../testing/mock-stage.ts'
import type { DoctorContext } from './context.ts'
import { createNamesCheck } from './names-check.ts'

const check = createNamesCheck({ workerName: 'orders', functionIds: () => ['orders::count'] })

it.each(['0.22', '0.23'] as const)('a stranger that has functions is named, on an engine like %s', async (engine) => {
  await using stage = await startMockStage(() => startMockEngine({ engine, namespaceGraceMs: 20 }))
  const doctor = await stage.connect({ name: 'doctor' })
  const ask: DoctorContext['ask'] = (function_id, payload) => doctor.trigger({ function_id, payload })
  const look = () => check.run({ ask, session: { said: {} }, names: { noun: 'shop' } } as unknown as DoctorContext)
  expect(await look()).toMatchObject({ verdict: 'ok' })
  const socket = new WebSocket(stage.engine.url)
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'registerfunction', id: 'orders::count' }))
  await expect.poll(look).toMatchObject({
    verdict: 'warning',
    summary: expect.stringContaining('another worker has functions of the shop and gets their calls: orders::count of'),
  })
  socket.terminate()
})

it('on an engine where many have one name, says who has the functions', async () => {
  await using stage = await startMockStage(() => startMockEngine({ engine: '0.22' }))
  const owner = await stage.connect({ name: 'orders' })
  owner.registerFunction('orders::count', () => 0)
  await owner.ready()
  const ask: DoctorContext['ask'] = (function_id, payload) => owner.trigger({ function_id, payload })
  const context = { ask, session: { said: {} }, names: { noun: 'shop' } } as unknown as DoctorContext
  expect(await check.run(context)).toMatchObject({
    verdict: 'ok',
    summary: expect.stringMatching(/worker 'orders' .*has the functions of the shop$/),
  })
})

it('a port with access rules that hide the workers is no problem, and any other failure is told', async () => {
  const look = (code: string) => {
    const ask = (id: string) => Promise.reject(new InvocationError(code, 'no', id))
    return check.run({ ask, session: { said: {} }, names: { noun: 'shop' } } as unknown as DoctorContext)
  }
  expect(await look('FORBIDDEN')).toMatchObject({
    verdict: 'skipped',
    summary: expect.stringContaining('access rules'),
  })
  await expect(look('TIMEOUT')).rejects.toThrow('no')
})

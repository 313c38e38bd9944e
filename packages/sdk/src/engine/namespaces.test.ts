import { type EngineGeneration, startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { startMockStage } from '../testing/mock-stage.ts'
import { askNamespaces } from './namespaces.ts'

it.each<[EngineGeneration, boolean]>([
  ['0.22', false],
  ['0.23', true],
])('an engine like %s has namespaces: %s', async (engine, expected) => {
  await using stage = await startMockStage(() => startMockEngine({ engine }))
  expect(await askNamespaces(await stage.connect({ name: 'shop' }))).toBe(expected)
})

it('an engine that shows this worker nobody tells nothing', async () => {
  const asking = (answer: Promise<unknown>) => askNamespaces({ workerId: 'w-1', trigger: () => answer as never })
  expect(await asking(Promise.resolve({ workers: [{ id: 'w-2', namespace: 'default' }] }))).toBeUndefined()
  expect(await asking(Promise.reject(new Error('FORBIDDEN')))).toBeUndefined()
})

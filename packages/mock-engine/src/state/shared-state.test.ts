import { expect, it } from 'vitest'
import { startMockEngine } from '../engine.ts'
import { createSharedState } from './store.ts'

it('rows of engines that share their state are there at once, and outlast a restart', async () => {
  const sharedState = createSharedState()
  await using here = await startMockEngine({ sharedState })
  await using there = await startMockEngine({ sharedState })
  await here.call('state::set', { scope: 's', key: 'k', value: 1 })
  expect(await there.call('state::get', { scope: 's', key: 'k' })).toBe(1)
  await there.restart()
  expect(await there.call('state::list', { scope: 's' })).toEqual([1])
  await expect(there.restart({ state: 'lose' })).rejects.toThrow("ask for state 'keep'")
})

it('state cannot be shared and kept in a folder', async () => {
  await expect(startMockEngine({ sharedState: createSharedState(), dataDir: 'unused' })).rejects.toThrow('either')
})

import { expect, it } from 'vitest'
import { createPartWrites } from './part-writes.ts'

it('changes of a part are written once, together with what comes meanwhile, also after a write that failed', async () => {
  const written: unknown[] = []
  const store = {
    async changePart(part: string, changes: ReadonlyMap<string, unknown>) {
      written.push([part, ...changes])
      if (changes.has('bad')) throw new Error('too large')
    },
  }
  const { change, drop } = createPartWrites(store, 'ended')
  await change(1, 'a', 1)
  const bad = change(1, 'bad', 2)
  drop(1, 'a')
  await expect(bad).rejects.toThrow('too large')
  await Promise.all([change(1, 'c', 3), change(2, 'd', 4)])
  expect(written).toEqual([
    ['ended-1', ['a', 1]],
    ['ended-1', ['bad', 2], ['a', undefined]],
    ['ended-1', ['c', 3]],
    ['ended-2', ['d', 4]],
  ])
})

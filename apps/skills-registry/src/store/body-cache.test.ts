import { expect, it } from 'vitest'
import { createBodyCache } from './body-cache.ts'

it('keeps as much as it may, and one byte more costs what was not touched for longest', () => {
  const cache = createBodyCache<string>(100)
  cache.set('a', 'A', 50)
  cache.set('b', 'B', 50)
  expect([cache.get('a'), cache.get('b')]).toEqual(['A', 'B'])
  cache.set('a', 'A2', 50)
  cache.set('c', 'C', 1)
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['A2', undefined, 'C'])
})

it('has room again for what was deleted or written anew', () => {
  const cache = createBodyCache<string>(100)
  cache.set('a', 'A', 100)
  cache.set('a', 'A2', 60)
  cache.set('b', 'B', 40)
  cache.delete('a')
  cache.delete('never there')
  cache.set('c', 'C', 60)
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([undefined, 'B', 'C'])
})

it('keeps nothing that is larger than all it may keep', () => {
  const cache = createBodyCache<string>(100)
  cache.set('a', 'A', 101)
  expect(cache.get('a')).toBeUndefined()
})

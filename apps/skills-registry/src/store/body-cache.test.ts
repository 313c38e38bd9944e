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

it('keeps what was offered while there is room, and gives it up before what was asked for, the last one first', () => {
  const cache = createBodyCache<string>(100)
  cache.set('asked', 'A', 40)
  expect([cache.offer('b', 'B', 30), cache.offer('c', 'C', 30), cache.offer('d', 'D', 1)]).toEqual([true, true, false])
  expect(cache.offer('asked', 'another', 0)).toBe(true)
  expect([cache.hasRoom(0), cache.hasRoom(1)]).toEqual([true, false])
  cache.set('e', 'E', 20)
  expect(['asked', 'b', 'c', 'e'].map((key) => cache.get(key))).toEqual(['A', 'B', undefined, 'E'])
  cache.set('b', 'B', 30)
  cache.set('f', 'F', 40)
  expect(['asked', 'b', 'e', 'f'].map((key) => cache.get(key))).toEqual([undefined, 'B', 'E', 'F'])
})

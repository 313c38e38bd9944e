import { expect, it } from 'vitest'
import { eachInPieces } from './pieces.ts'

const LONG_MS = 6

it('what takes long for many leaves room for others in between, and is done in order', async () => {
  const done: number[] = []
  let turns = 0
  const count = () => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await eachInPieces([1, 2, 3, 4, 5, 6], (item) => {
    for (const startedAt = performance.now(); performance.now() - startedAt < LONG_MS; );
    done.push(item)
  })
  clearImmediate(timer)
  expect(done).toEqual([1, 2, 3, 4, 5, 6])
  expect(turns).toBeGreaterThanOrEqual(2)
})

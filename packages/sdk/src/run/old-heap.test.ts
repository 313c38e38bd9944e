import { expect, it } from 'vitest'
import { limitOldHeap } from './old-heap.ts'

it.each([
  ['', ['--heap-growing-percent=40']],
  ['--max-semi-space-size=16', ['--heap-growing-percent=40']],
  ['--heap-growing-percent=90', []],
  ['--inspect --heap_growing_percent=90', []],
  ['--max-old-space-size=4096', []],
])('V8 of a Node that was started with %j is told %j', (given, told) => {
  const flags: string[] = []
  limitOldHeap(given, (flag) => flags.push(flag))
  expect(flags).toEqual(told)
})

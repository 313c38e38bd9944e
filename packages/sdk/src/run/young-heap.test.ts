import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ENOUGH_BYTES, limitYoungHeap } from './young-heap.ts'

describe('the young heap of a worker process', () => {
  let heap: { bytes: number; isCollectedAlone: boolean; factors: number[]; listeners: Set<() => void> }

  const start = (given = '') =>
    limitYoungHeap(given, {
      size: () => heap.bytes,
      collectAlone() {
        heap.isCollectedAlone = true
      },
      growBy: (factor) => heap.factors.push(factor),
      onCollection(listener) {
        heap.listeners.add(listener)
        return () => void heap.listeners.delete(listener)
      },
    })

  function collect(bytes: number): void {
    heap.bytes = bytes
    for (const listener of heap.listeners) listener()
  }

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    heap = { bytes: ENOUGH_BYTES / 4, isCollectedAlone: false, factors: [], listeners: new Set() }
  })
  afterEach(() => void vi.useRealTimers())

  it('does not grow at the start, then until it is enough, and again when V8 has made it smaller', () => {
    const stop = start()
    expect(heap.factors).toEqual([1])
    expect(heap.isCollectedAlone).toBe(true)
    vi.advanceTimersByTime(3000)
    collect(ENOUGH_BYTES / 2)
    expect(heap.factors).toEqual([1, 2])
    collect(ENOUGH_BYTES)
    expect(heap.factors).toEqual([1, 2, 1])
    expect(heap.listeners.size).toBe(0)
    vi.advanceTimersByTime(3000)
    expect(heap.factors).toEqual([1, 2, 1])
    heap.bytes = ENOUGH_BYTES / 2
    vi.advanceTimersByTime(1000)
    expect(heap.factors).toEqual([1, 2, 1, 2])
    stop()
  })

  it('is left to V8 when the worker stops', () => {
    const stop = start()
    vi.advanceTimersByTime(1000)
    stop()
    vi.advanceTimersByTime(3000)
    expect(heap.factors.at(-1)).toBe(2)
    expect(heap.listeners.size).toBe(0)
  })

  it.each(['--max-semi-space-size=64', '--inspect --semi-space-growth-factor=4', '--max_semi_space_size=1'])(
    'is left to whoever has started Node with %s',
    (flag) => {
      start(flag)()
      vi.advanceTimersByTime(3000)
      expect(heap.factors).toEqual([])
      expect(heap.isCollectedAlone).toBe(false)
    },
  )
})

import { describe, expect, it, vi } from 'vitest'
import { createPending } from './pending.ts'

function stage(batch: number, batchMs: number) {
  const batches: (readonly number[])[] = []
  const isLight = (item: number) => item < 100
  return { batches, pending: createPending<number>({ batch, batchMs, isLight, work: (items) => batches.push(items) }) }
}

describe('what waits for its record', () => {
  it('is handed over a moment later, with what has come since', async () => {
    const { batches, pending } = stage(10, 5)
    for (const item of [1, 2, 3]) pending.add(item)
    expect(batches).toEqual([])
    await vi.waitFor(() => expect(batches).toEqual([[1, 2, 3]]))
  })

  it('does not wait when it is much, or heavy, and never keeps the call', async () => {
    const { batches, pending } = stage(3, 60_000)
    for (const item of [1, 2, 3]) pending.add(item)
    expect(batches).toEqual([])
    await new Promise(setImmediate)
    pending.add(4)
    pending.add(500)
    await new Promise(setImmediate)
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 500],
    ])
    pending.add(5)
    pending.flush()
    expect(batches[2]).toEqual([5])
  })
})

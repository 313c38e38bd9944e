import { describe, expect, it } from 'vitest'
import { AT_ONCE, forEachAtOnce } from './side-by-side.ts'

describe('work side by side', () => {
  it('is done once for everything, with a bounded number under way', async () => {
    const done: number[] = []
    let [running, peak] = [0, 0]
    await forEachAtOnce(
      Array.from({ length: 100 }, (_, at) => at),
      async (at) => {
        peak = Math.max(peak, ++running)
        await new Promise(setImmediate)
        running -= 1
        done.push(at)
      },
    )
    expect([done.length, new Set(done).size, peak]).toEqual([100, 100, AT_ONCE])
  })

  it('stops at a failure, and ends when what was under way has', async () => {
    let [begun, ended] = [0, 0]
    const work = forEachAtOnce(Array(1000).fill(0), async () => {
      const mine = ++begun
      await new Promise(setImmediate)
      ended += 1
      if (mine === 20) throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect([begun <= 20 + AT_ONCE, ended]).toEqual([true, begun])
  })
})

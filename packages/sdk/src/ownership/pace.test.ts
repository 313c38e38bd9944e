import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPace, type LookKind } from './pace.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function stagePace(size = 10, look: (kind: LookKind) => Promise<void> = async () => undefined, answerMs = 0) {
  const looks: [LookKind, number][] = []
  const startedAt = performance.now()
  const onError = vi.fn()
  const pace = createPace({
    lookEveryMs: 5_000,
    fullLookEveryMs: 60_000,
    betweenLooksMs: 250,
    size: () => size,
    answerMs: () => answerMs,
    onError,
    look: (kind) => {
      looks.push([kind, performance.now() - startedAt])
      return look(kind)
    },
  })
  return { looks, pace, onError }
}

describe('the pace of looking', () => {
  it('is nothing until it is told to begin', async () => {
    const { looks } = stagePace()
    await vi.advanceTimersByTimeAsync(100_000)
    expect(looks).toEqual([])
  })

  it('is one light look every five seconds and a full one every minute when nothing happens', async () => {
    const { looks, pace } = stagePace()
    pace.full(300)
    await vi.advanceTimersByTimeAsync(66_000)
    expect(looks[0]).toEqual(['full', 300])
    expect(looks.map(([kind]) => kind)).toEqual(['full', ...Array(11).fill('light'), 'full', 'light'])
    expect(looks.map(([, at]) => at)).toEqual(Array.from({ length: 14 }, (_, at) => 300 + at * 5_000))
  })

  it('is at once when a worker has left, and four times a second at most while many do', async () => {
    const { looks, pace } = stagePace()
    pace.full(0)
    await vi.advanceTimersByTimeAsync(1_000)
    for (let at = 0; at < 1_000; at += 10) {
      pace.now()
      await vi.advanceTimersByTimeAsync(10)
    }
    expect(looks).toEqual([0, 1_000, 1_250, 1_500, 1_750, 2_000].map((at) => ['full', at]))
  })

  it('leaves nine tenths of the time to an engine that is long in answering, however many come and go', async () => {
    const { looks, pace } = stagePace(10, undefined, 300)
    pace.full(0)
    for (let at = 0; at < 10_000; at += 10) {
      if (at % 20 === 0) pace.now()
      else pace.arrived(300)
      await vi.advanceTimersByTimeAsync(10)
    }
    expect(looks).toEqual([0, 3_000, 6_000, 9_000].map((at) => ['full', at]))
  })

  it('is no later than usual with an engine that answers nothing', async () => {
    const { looks, pace } = stagePace(10, undefined, 2_000)
    pace.full(0)
    await vi.advanceTimersByTimeAsync(1_000)
    pace.now()
    await vi.advanceTimersByTimeAsync(9_999)
    expect(looks).toEqual([
      ['full', 0],
      ['full', 5_000],
      ['light', 10_000],
    ])
  })

  it('is soon after a worker came, and once more for one that is slow to register', async () => {
    const { looks, pace } = stagePace()
    pace.full(0)
    await vi.advanceTimersByTimeAsync(1_000)
    pace.arrived(300)
    await vi.advanceTimersByTimeAsync(6_000)
    expect(looks).toEqual([
      ['full', 0],
      ['full', 1_300],
      ['light', 2_500],
    ])
    await vi.advanceTimersByTimeAsync(500)
    expect(looks.at(-1)).toEqual(['light', 7_500])
  })

  it('is light at once and full later for a worker with very many functions', async () => {
    const { looks, pace } = stagePace(1_280)
    pace.full(0)
    await vi.advanceTimersByTimeAsync(1_000)
    pace.now()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(looks).toEqual([
      ['full', 0],
      ['light', 1_000],
      ['full', 2_500],
    ])
  })

  it('is one look at a time, and goes on after one that failed', async () => {
    let fail: (error: Error) => void = () => undefined
    const { looks, pace, onError } = stagePace(10, () => new Promise((_, reject) => (fail = reject)))
    pace.full(0)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(looks).toHaveLength(1)
    fail(new Error('TIMEOUT'))
    await vi.advanceTimersByTimeAsync(0)
    expect(looks).toHaveLength(2)
    expect(onError).toHaveBeenCalledOnce()
  })

  it('rests without a connection, and ends for good', async () => {
    const { looks, pace } = stagePace()
    pace.full(0)
    await vi.advanceTimersByTimeAsync(1)
    pace.pause()
    await vi.advanceTimersByTimeAsync(100_000)
    expect(looks).toHaveLength(1)
    pace.full(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(looks).toHaveLength(2)
    pace.stop()
    pace.now()
    await vi.advanceTimersByTimeAsync(100_000)
    expect(looks).toHaveLength(2)
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Heartbeat, startHeartbeat } from './heartbeat.ts'

const timings = { pingEveryMs: 10_000, deadAfterMs: 25_000 }

describe('the heartbeat', () => {
  const ping = vi.fn()
  const dead = vi.fn()
  const traffic = vi.fn(() => ({ hasLeft: false, hasCome: false }))
  let heartbeat: Heartbeat

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    heartbeat = startHeartbeat(timings, { ping, dead, traffic })
  })

  afterEach(() => {
    heartbeat.stop()
    vi.useRealTimers()
    vi.clearAllMocks()
  })

  it('pings every ten seconds', () => {
    for (let second = 0; second < 60; second++) {
      vi.advanceTimersByTime(1000)
      heartbeat.answered()
    }
    expect(ping).toHaveBeenCalledTimes(6)
    expect(dead).not.toHaveBeenCalled()
  })

  it('gives up after twenty-five seconds of silence', () => {
    vi.advanceTimersByTime(24_000)
    expect(dead).not.toHaveBeenCalled()
    vi.advanceTimersByTime(2_000)
    expect(dead).toHaveBeenCalledOnce()
  })

  it('gives up on a peer that sends and answers no ping, after twice as long', () => {
    const liveFor = (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        vi.advanceTimersByTime(1000)
        heartbeat.heardAt = performance.now()
      }
    }
    liveFor(40)
    heartbeat.answered()
    liveFor(49)
    expect(dead).not.toHaveBeenCalled()
    liveFor(6)
    expect(dead).toHaveBeenCalledWith('the engine answered no ping for 50000 ms')
  })

  it('waits for a long message that moves, either way, and no longer than that', () => {
    for (const moving of [
      { hasLeft: true, hasCome: false },
      { hasLeft: false, hasCome: true },
    ]) {
      traffic.mockReturnValue(moving)
      vi.advanceTimersByTime(300_000)
      expect(dead).not.toHaveBeenCalled()
    }
    traffic.mockReturnValue({ hasLeft: false, hasCome: false })
    vi.advanceTimersByTime(30_000)
    expect(dead).toHaveBeenCalledWith('nothing came from the engine for 25000 ms')
  })

  it('does not wait for one that sends whole messages and answers no ping', () => {
    traffic.mockReturnValue({ hasLeft: false, hasCome: true })
    for (let second = 0; second < 60; second++) {
      vi.advanceTimersByTime(1000)
      heartbeat.heardAt = performance.now()
    }
    expect(dead).toHaveBeenCalledWith('the engine answered no ping for 50000 ms')
    traffic.mockReturnValue({ hasLeft: false, hasCome: false })
  })

  it('asks once more when it was itself asleep', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 120_000)
    vi.advanceTimersByTime(5_000)
    expect(ping).toHaveBeenCalledOnce()
    expect(dead).not.toHaveBeenCalled()
    now.mockRestore()
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RefreshLook } from './looks.ts'
import { createRefresher } from './refresher.ts'

const options = { settleMs: 50, freshMs: 1_000, checkMs: 30_000, onError: () => undefined }

const pass = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

/** A glance, and the rest of a full look in ten parts of 100 ms. */
const inParts = (glanceMs: number) =>
  vi.fn<RefreshLook>(async (kind, pause) => {
    await pass(glanceMs)
    for (let part = 0; kind === 'full' && part < 10; part += 1) {
      await pause()
      await pass(100)
    }
  })

describe('what is kept from elsewhere', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is looked at once at a time where somebody asks for a look and something changes in the middle of a glance', async () => {
    let [running, most] = [0, 0]
    const look = vi.fn<RefreshLook>(async () => {
      running += 1
      most = Math.max(most, running)
      await pass(200)
      running -= 1
    })
    const refresher = createRefresher(look, options)
    void refresher.now()
    await vi.advanceTimersByTimeAsync(1_300)
    void refresher.upToDate()
    refresher.soon()
    await vi.advanceTimersByTimeAsync(100)
    void refresher.now()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(look.mock.calls.map(([kind]) => kind).slice(0, 4)).toEqual(['full', 'glance', 'glance', 'full'])
    expect(most).toBe(1)
    refresher.close()
  })

  it('is looked at in full also where changes never end and a glance takes longer than until the next', async () => {
    const look = inParts(200)
    const refresher = createRefresher(look, options)
    const changes = setInterval(() => refresher.soon(), 100)
    await vi.advanceTimersByTimeAsync(120_000)
    clearInterval(changes)
    // Each begins when that before is over.
    expect(look.mock.calls.filter(([kind]) => kind === 'full').length).toBeGreaterThanOrEqual(3)
    refresher.close()
  })

  it('is not looked at any more after the end, also where something is owed to a change in the middle of a look', async () => {
    const look = inParts(0)
    const refresher = createRefresher(look, options)
    void refresher.now()
    await vi.advanceTimersByTimeAsync(500)
    refresher.soon()
    await vi.advanceTimersByTimeAsync(100)
    refresher.close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(look.mock.calls.filter(([kind]) => kind === 'full')).toHaveLength(1)
  })
})

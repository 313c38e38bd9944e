import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RefreshKind, RefreshLook } from './looks.ts'
import { createRefresher } from './refresher.ts'

const options = { settleMs: 50, freshMs: 1_000, checkMs: 30_000, onError: () => undefined }

describe('what is kept from elsewhere', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is looked at once for a burst of changes', async () => {
    const look = vi.fn(async () => undefined)
    const refresher = createRefresher(look, options)
    for (let i = 0; i < 100; i++) refresher.soon()
    await vi.advanceTimersByTimeAsync(49)
    expect(look).toHaveBeenCalledTimes(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(look).toHaveBeenCalledTimes(1)
    refresher.close()
  })

  it('is told of as failed while it is kept, and not when the end cuts a look off', async () => {
    const onError = vi.fn()
    let failures = 0
    const look = () => Promise.reject(new Error(`no engine, ${++failures}`))
    const refresher = createRefresher(look, { ...options, onError })
    await expect(refresher.now()).rejects.toThrow('no engine')
    expect(onError).toHaveBeenCalledTimes(1)
    const last = refresher.now()
    refresher.close()
    await expect(last).rejects.toThrow('no engine')
    expect(onError).toHaveBeenCalledTimes(1)
  })

  it('is looked at again when it changed during a look', async () => {
    let finish: () => void = () => undefined
    const look = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve
        }),
    )
    const refresher = createRefresher(look, options)
    const first = refresher.now()
    const second = Promise.all([refresher.now(), refresher.now()])
    expect(look).toHaveBeenCalledTimes(1)
    finish()
    await first
    await vi.advanceTimersByTimeAsync(0)
    expect(look).toHaveBeenCalledTimes(2)
    finish()
    await second
    refresher.close()
  })

  it('is waited for the first time', async () => {
    const look = vi.fn(async () => undefined)
    const refresher = createRefresher(look, options)
    expect(await refresher.upToDate()).toBeUndefined()
    expect(await refresher.upToDate()).toBeUndefined()
    expect(look).toHaveBeenCalledTimes(1)
    refresher.close()
  })

  it('is glanced at when it is used and the last look is over a second old, however many use it', async () => {
    const look = vi.fn(async (_kind: RefreshKind) => undefined)
    const refresher = createRefresher(look, options)
    await refresher.upToDate()
    await vi.advanceTimersByTimeAsync(20_000)
    look.mockClear()
    await Promise.all([refresher.upToDate(), refresher.upToDate()])
    await refresher.upToDate()
    expect(look.mock.calls.map(([kind]) => kind)).toEqual(['glance'])
    refresher.close()
  })

  it('is glanced at ahead of time for ten seconds after each use, so that nobody waits who uses it again', async () => {
    const look = vi.fn(() => new Promise<void>((resolve) => void setTimeout(resolve, 90)))
    const refresher = createRefresher(look, options)
    void refresher.upToDate()
    await vi.advanceTimersByTimeAsync(90)
    let waits = 0
    const use = async () => {
      const at = performance.now()
      await refresher.upToDate()
      if (performance.now() > at) waits += 1
    }
    for (let n = 0; n < 50; n++) {
      void use()
      await vi.advanceTimersByTimeAsync(130)
    }
    await vi.advanceTimersByTimeAsync(9_000)
    await use()
    expect(waits).toBe(0)
    await vi.advanceTimersByTimeAsync(11_000)
    look.mockClear()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(look.mock.calls.length).toBeLessThanOrEqual(1)
    refresher.close()
  })

  it('is glanced at for those alone who use it where a glance takes long', async () => {
    const look = vi.fn((_kind: RefreshKind) => new Promise<void>((resolve) => void setTimeout(resolve, 110)))
    const refresher = createRefresher(look, options)
    void refresher.upToDate()
    await vi.advanceTimersByTimeAsync(9_000)
    expect(look.mock.calls.map(([kind]) => kind)).toEqual(['full', 'glance'])
    refresher.close()
  })

  it('is looked at once a second while somebody waits to hear of changes, and at everything every 30 seconds', async () => {
    let isWatched = false
    const look = vi.fn(async (_kind: RefreshKind) => undefined)
    const refresher = createRefresher(look, { ...options, inUse: () => isWatched })
    await vi.advanceTimersByTimeAsync(100_000)
    expect(look).toHaveBeenCalledTimes(0)
    isWatched = true
    await vi.advanceTimersByTimeAsync(60_000)
    const kinds = look.mock.calls.map(([kind]) => kind)
    expect(kinds.length).toBeGreaterThanOrEqual(58)
    expect(kinds.length).toBeLessThanOrEqual(62)
    expect(kinds.filter((kind) => kind === 'full')).toHaveLength(2)
    look.mockClear()
    const asking = setInterval(() => void refresher.upToDate(), 130)
    await vi.advanceTimersByTimeAsync(60_000)
    clearInterval(asking)
    expect(look.mock.calls.filter(([kind]) => kind === 'full')).toHaveLength(2)
    isWatched = false
    await vi.advanceTimersByTimeAsync(31_000)
    look.mockClear()
    await vi.advanceTimersByTimeAsync(100_000)
    expect(look).toHaveBeenCalledTimes(0)
    refresher.close()
  })

  /** A look at everything in parts of 100 ms. */
  const inParts = (count = 10) =>
    vi.fn<RefreshLook>(async (kind, pause) => {
      for (let part = 0; kind === 'full' && part < count; part += 1) {
        await pause()
        await new Promise<void>((resolve) => void setTimeout(resolve, 100))
      }
    })

  it('is glanced at in between of a look at everything, which nobody waits for who uses it', async () => {
    const look = inParts()
    const refresher = createRefresher(look, { ...options, freshMs: 200 })
    void refresher.now()
    await vi.advanceTimersByTimeAsync(350)
    const at = performance.now()
    const used = refresher.upToDate().then(() => performance.now() - at)
    await vi.advanceTimersByTimeAsync(200)
    expect(await used).toBeLessThanOrEqual(100)
    expect(look.mock.calls.map(([kind]) => kind)).toEqual(['full', 'glance'])
    refresher.close()
  })

  it('takes a tenth of the time for looks at everything where changes never end, and glances at each change', async () => {
    const look = inParts()
    const refresher = createRefresher(look, options)
    const changes = setInterval(() => refresher.soon(), 100)
    await vi.advanceTimersByTimeAsync(60_000)
    clearInterval(changes)
    const kinds = look.mock.calls.map(([kind]) => kind)
    const full = kinds.filter((kind) => kind === 'full').length
    expect([full >= 5, full <= 7]).toEqual([true, true])
    expect(kinds.length).toBeGreaterThan(400)
    refresher.close()
  })

  it('takes a tenth of the time for looks at everything while somebody waits to hear of changes', async () => {
    const look = inParts(100)
    const refresher = createRefresher(look, { ...options, inUse: () => true })
    const asking = setInterval(() => void refresher.upToDate(), 130)
    await vi.advanceTimersByTimeAsync(400_000)
    clearInterval(asking)
    const kinds = look.mock.calls.map(([kind]) => kind)
    expect(kinds.filter((kind) => kind === 'full')).toHaveLength(4)
    expect(kinds.length).toBeGreaterThan(400)
    refresher.close()
  })

  it('is looked at in full once more for what has changed while it was', async () => {
    const look = inParts()
    const refresher = createRefresher(look, options)
    void refresher.now()
    await vi.advanceTimersByTimeAsync(500)
    refresher.soon()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(look.mock.calls.map(([kind]) => kind)).toEqual(['full', 'glance', 'full'])
    refresher.close()
  })

  it('is waited for by nobody in between of a look at everything when that fails', async () => {
    const failure = new Error('no engine')
    let isAway = false
    const look = vi.fn<RefreshLook>(async (kind, pause) => {
      if (isAway && kind === 'glance') throw failure
      for (let part = 0; kind === 'full' && part < 10; part += 1) {
        await pause()
        await new Promise<void>((resolve) => void setTimeout(resolve, 100))
      }
    })
    const refresher = createRefresher(look, { ...options, freshMs: 200 })
    const over = refresher.now().then(
      () => 'went well',
      (error: unknown) => error,
    )
    await vi.advanceTimersByTimeAsync(350)
    isAway = true
    const used = refresher.upToDate()
    await vi.advanceTimersByTimeAsync(1_500)
    await used
    expect(await over).toBe(failure)
    expect(await refresher.upToDate()).toBe(failure)
    refresher.close()
  })

  it('is waited for once by those who use it while nothing answers', async () => {
    let slow = false
    const look = vi.fn(() => (slow ? new Promise<void>(() => undefined) : Promise.resolve()))
    const refresher = createRefresher(look, options)
    await refresher.upToDate()
    slow = true
    await vi.advanceTimersByTimeAsync(2_000)
    const first = refresher.upToDate()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await first).toBeUndefined()
    expect(await refresher.upToDate()).toBeUndefined()
    refresher.close()
  })

  it('is waited for a little after a long pause', async () => {
    let slow = false
    const look = vi.fn(() => (slow ? new Promise<void>(() => undefined) : Promise.resolve()))
    const refresher = createRefresher(look, options)
    await refresher.upToDate()
    slow = true
    await vi.advanceTimersByTimeAsync(100_000)
    const used = refresher.upToDate()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await used).toBeUndefined()
    refresher.close()
  })

  it('is tried again after a failure, which whoever needs it hears of', async () => {
    const failure = new Error('no engine')
    const look = vi.fn(() => Promise.reject(failure))
    const onError = vi.fn()
    const refresher = createRefresher(look, { ...options, onError })
    expect(await refresher.upToDate()).toBe(failure)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(look.mock.calls.length).toBeGreaterThan(50)
    expect(onError.mock.calls).toEqual([[failure]])
    look.mockImplementation(async () => undefined as never)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await refresher.upToDate()).toBeUndefined()
    look.mockImplementation(() => Promise.reject(failure))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(onError.mock.calls).toEqual([[failure], [failure]])
    refresher.close()
  })
})

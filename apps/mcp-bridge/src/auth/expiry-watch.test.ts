import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toHolder } from '../testing/principals.ts'
import { createExpiryWatch } from './expiry-watch.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('whoever is followed', () => {
  it('is over once, within a second of the end of its token', () => {
    const ended: string[] = []
    const watch = createExpiryWatch()
    watch.follow(toHolder('short', {}, { expiresAt: 2_000 }), () => ended.push('short'))
    watch.follow(toHolder('long', {}, { expiresAt: 60_000 }), () => ended.push('long'))
    vi.advanceTimersByTime(1_999)
    expect(ended).toEqual([])
    vi.advanceTimersByTime(1_000)
    expect(ended).toEqual(['short'])
    vi.advanceTimersByTime(10_000)
    expect(ended).toEqual(['short'])
  })

  it('is over when the settings have no place for it any more', () => {
    const ended: string[] = []
    const watch = createExpiryWatch()
    let isKnown = true
    const holder = toHolder('ci', {}, { asOfNow: () => (isKnown ? holder : undefined) })
    watch.follow(holder, () => ended.push('ci'))
    vi.advanceTimersByTime(5_000)
    expect(ended).toEqual([])
    isKnown = false
    vi.advanceTimersByTime(1_000)
    expect(ended).toEqual(['ci'])
  })

  it('costs nothing once it has left', () => {
    const ended: string[] = []
    const leave = createExpiryWatch().follow(toHolder('ci', {}, { expiresAt: 1_000 }), () => ended.push('ci'))
    expect(vi.getTimerCount()).toBe(1)
    leave()
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(5_000)
    expect(ended).toEqual([])
  })
})

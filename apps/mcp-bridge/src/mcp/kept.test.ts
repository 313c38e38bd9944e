import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKept } from './kept.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('what is kept', () => {
  it('is made once for all who ask within its time', async () => {
    const make = vi.fn(async () => make.mock.calls.length)
    const kept = createKept(make, 500)
    expect(await Promise.all([kept.get(), kept.get()])).toEqual([1, 1])
    vi.advanceTimersByTime(500)
    expect(await kept.get()).toBe(1)
    vi.advanceTimersByTime(1)
    expect(await kept.get()).toBe(2)
  })

  it('is made anew once it is forgotten, also when it was being made', async () => {
    const answers: ((value: string) => void)[] = []
    const kept = createKept(() => new Promise<string>((resolve) => answers.push(resolve)), 500)
    const before = kept.get()
    kept.forget()
    const after = kept.get()
    answers[0]?.('old')
    answers[1]?.('new')
    expect(await Promise.all([before, after, kept.get()])).toEqual(['old', 'new', 'new'])
  })

  it('is no failure', async () => {
    let isDown = true
    const kept = createKept(() => (isDown ? Promise.reject(new Error('down')) : Promise.resolve('up')), 500)
    await expect(kept.get()).rejects.toThrow('down')
    isDown = false
    expect(await kept.get()).toBe('up')
  })
})

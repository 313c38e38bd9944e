import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAcknowledgement } from './acknowledgement.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

function start() {
  const pong = vi.fn()
  return { pong, ...createAcknowledgement(pong) }
}

describe('acknowledging what was read', () => {
  it('is done at once while more is expected, and not at all while nothing is', () => {
    const { pong, onQuietRead } = start()
    onQuietRead('nothing')
    vi.runAllTimers()
    expect(pong).not.toHaveBeenCalled()
    onQuietRead('more')
    expect(pong).toHaveBeenCalledOnce()
  })

  it('is left to the reply of the only call that runs', () => {
    const { pong, onQuietRead, onWrite } = start()
    onQuietRead('after-reply')
    onWrite()
    vi.runAllTimers()
    expect(pong).not.toHaveBeenCalled()
  })

  it('does not wait longer than a moment for that reply', () => {
    const { pong, onQuietRead } = start()
    onQuietRead('after-reply')
    onQuietRead('after-reply')
    vi.runAllTimers()
    expect(pong).toHaveBeenCalledOnce()
  })

  it('is done once when more comes meanwhile', () => {
    const { pong, onQuietRead } = start()
    onQuietRead('after-reply')
    onQuietRead('more')
    vi.runAllTimers()
    expect(pong).toHaveBeenCalledOnce()
  })
})

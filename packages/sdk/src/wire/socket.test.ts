import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAcknowledgement, toMasking } from './socket.ts'

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

it.each(['ws://127.0.0.1:1', 'ws://127.1.2.3:1', 'ws://localhost:1', 'wss://[::1]:1'])('%s is not masked', (url) => {
  const mask = Buffer.from([1, 2, 3, 4])
  toMasking(url).generateMask?.(mask)
  expect(mask).toEqual(Buffer.alloc(4))
})

it.each(['ws://10.0.0.1:1', 'ws://127.0.0.1.example.com', 'ws://localhost.example.com', 'wss://engine'])(
  '%s is masked as the protocol wants it',
  (url) => expect(toMasking(url)).toEqual({}),
)

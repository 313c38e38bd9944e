import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toPieces } from './outgoing.ts'
import { createAcknowledgement, createOutlet, type Expectation, toMasking } from './socket.ts'

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

describe('what goes out', () => {
  beforeEach(() => {
    vi.useRealTimers()
  })

  function open() {
    const written: number[] = []
    const over = vi.fn<(isQuiet: boolean) => void>()
    const toStream = () =>
      new Writable({
        write(bytes: Buffer, _, done) {
          written.push(bytes.length)
          done()
        },
      })
    const state = { isOpen: true, expected: 'more' as Expectation }
    const masking = { generateMask: (mask: Buffer) => mask.fill(0) }
    const outlet = createOutlet(masking, { onOver: over, expectation: () => state.expected })
    const isOpen = () => state.isOpen
    outlet.setStream(toStream(), isOpen)
    return { outlet, written, over, toStream, state, isOpen }
  }

  it('is one write for all that one read set off, when the turn is over', async () => {
    const { outlet, written, over } = open()
    outlet.onRead()
    outlet.send('one')
    outlet.onRead()
    outlet.sendTogether(['two', 'six'])
    expect([written, outlet.waiting]).toEqual([[], 9])
    await vi.waitFor(() => expect(over).toHaveBeenCalledWith(false))
    expect([written, outlet.waiting]).toEqual([[3 * (2 + 4 + 3)], 0])
  })

  it('goes out at once when nothing was read', () => {
    const { outlet, written } = open()
    outlet.send('one')
    outlet.sendTogether(['two', 'six'])
    expect(written).toEqual([9, 18])
  })

  it.each(['nothing', 'after-reply'] as const)('goes out at once while the engine is to send %s', async (expected) => {
    const { outlet, written, over, state } = open()
    state.expected = expected
    outlet.onRead()
    outlet.send('one')
    expect(written).toEqual([9])
    await vi.waitFor(() => expect(over).toHaveBeenCalledWith(false))
    expect(written).toEqual([9])
  })

  it('does not wait for what takes its time', () => {
    const { outlet, written } = open()
    vi.useFakeTimers({ toFake: ['performance'] })
    outlet.onRead()
    outlet.send('one')
    expect(written).toEqual([])
    vi.advanceTimersByTime(2)
    outlet.send('two')
    expect(written).toEqual([18])
  })

  it('tells when nothing was sent for what was read', async () => {
    const { outlet, over } = open()
    outlet.onRead()
    await vi.waitFor(() => expect(over).toHaveBeenCalledWith(true))
  })

  it('never follows a Close frame', async () => {
    const { outlet, written, over, state } = open()
    outlet.onRead()
    outlet.send('late')
    state.isOpen = false
    await vi.waitFor(() => expect(over).toHaveBeenCalledWith(false))
    outlet.send('later')
    expect([written, outlet.waiting]).toEqual([[], 0])
  })

  it('does not reach another connection than the one that it was for, and none that has ended', () => {
    const { outlet, written, toStream, isOpen } = open()
    outlet.onRead()
    outlet.send('late')
    const next = toStream()
    outlet.setStream(next, isOpen)
    outlet.flush()
    next.end()
    outlet.send('later')
    outlet.flush()
    expect(written).toEqual([])
  })

  it('is a message for each text where the runtime shows no stream', () => {
    const { outlet, state, isOpen } = open()
    const texts: string[] = []
    outlet.setStream((text) => texts.push(text), isOpen)
    outlet.sendTogether(['one', toPieces([Buffer.from('t'), Buffer.from('wo')])])
    state.isOpen = false
    outlet.send('late')
    expect([texts, outlet.waiting]).toEqual([['one', 'two'], 0])
  })
})

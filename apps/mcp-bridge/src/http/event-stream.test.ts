import type { ChannelWriter } from '@iii/sdk'
import { describe, expect, it, vi } from 'vitest'
import { createEventStream, KEEP_ALIVE, type StreamEnd, type StreamTimings } from './event-stream.ts'

const timings: StreamTimings = { keepAliveMs: 10_000, stallMs: 30_000, queueBytes: 100 }

/** A channel whose connection and whose reader the test moves. */
function createChannel(own: Partial<StreamTimings> = {}) {
  const written: string[] = []
  const messages: unknown[] = []
  const ends: StreamEnd[] = []
  let connect: () => void = () => {}
  let read: (() => void) | undefined
  let isSlow = false
  let over: () => void = () => {}
  let fail: (error: Error) => void = () => {}
  const writer: ChannelWriter = {
    isOpen: true,
    opened: Promise.resolve(),
    closed: new Promise<void>((resolve) => {
      over = resolve
    }),
    sendMessage(message) {
      messages.push(message)
      return new Promise((resolve) => {
        connect = resolve
      })
    },
    write(bytes) {
      written.push(bytes.toString())
      if (!isSlow) return Promise.resolve()
      return new Promise((resolve, reject) => {
        read = resolve
        fail = reject
      })
    },
    close: () => Promise.resolve(over()),
    terminate() {
      fail(new Error('gone'))
      over()
    },
  }
  const stream = createEventStream({
    writer,
    headers: { 'mcp-session-id': 's' },
    timings: { ...timings, ...own },
    onOver: (how) => ends.push(how),
  })
  return {
    stream,
    written,
    messages,
    ends,
    connect: () => connect(),
    slowDown: () => {
      isSlow = true
    },
    read: () => read?.(),
    leave: () => over(),
  }
}

describe('an event stream', () => {
  it('sends its head, and everything that waited for the connection in one write', async () => {
    const { stream, written, messages, connect } = createChannel()
    const sent = [stream.send('a'), stream.send('b')]
    expect(written).toEqual([])
    connect()
    expect(await Promise.all(sent)).toEqual([true, true])
    expect(written).toEqual(['ab'])
    expect(messages).toEqual([
      {
        type: 'set_headers',
        headers: {
          'content-type': 'text/event-stream',
          'cache-control': 'no-cache, no-transform',
          'x-accel-buffering': 'no',
          'mcp-session-id': 's',
        },
      },
    ])
    await stream.end()
  })

  it('holds the sender back until its reader has room', async () => {
    const { stream, written, connect, slowDown, read } = createChannel()
    connect()
    slowDown()
    let isDone = false
    const sent = stream.send('a').then(() => {
      isDone = true
    })
    await vi.waitFor(() => expect(written).toEqual(['a']))
    expect(isDone).toBe(false)
    read()
    await sent
    await stream.end()
  })

  it('cuts a reader that leaves what was sent unread for too long', async () => {
    const { stream, ends, connect, slowDown } = createChannel({ stallMs: 20 })
    connect()
    slowDown()
    expect(await stream.send('a')).toBe(false)
    expect([ends, stream.isOpen, await stream.send('b')]).toEqual([['behind'], false, false])
  })

  it('cuts a reader for which too much waits, and sends one message of any size', async () => {
    const { stream, ends, connect, slowDown } = createChannel()
    connect()
    slowDown()
    void stream.send('a')
    await Promise.resolve()
    void stream.send('x'.repeat(1_000))
    expect(stream.isOpen).toBe(true)
    expect(await stream.send('b')).toBe(false)
    await stream.over
    expect(ends).toEqual(['behind'])
  })

  it('carries comments only while nothing else is on its way', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const { stream, written, connect, slowDown } = createChannel()
      connect()
      for (let n = 0; n < 2; n++) await vi.advanceTimersByTimeAsync(10_000)
      expect(written).toEqual([KEEP_ALIVE, KEEP_ALIVE])
      slowDown()
      void stream.send('a')
      for (let n = 0; n < 3; n++) await vi.advanceTimersByTimeAsync(10_000)
      expect(written.slice(2)).toEqual(['a'])
      stream.cut()
    } finally {
      vi.useRealTimers()
    }
  })

  it('tells once that it is over, and by whom', async () => {
    const [left, ended] = [createChannel(), createChannel()]
    left.leave()
    ended.connect()
    await ended.stream.end()
    await ended.stream.end()
    await left.stream.over
    expect([left.ends, ended.ends]).toEqual([['left'], ['ended']])
    expect(await left.stream.send('x')).toBe(false)
  })
})

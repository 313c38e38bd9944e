import { type ChannelRef, type ChannelWriter, createLog } from '@iii/sdk'
import { describe, expect, it, vi } from 'vitest'
import { EVERYBODY, type Principal } from '../auth/principal.ts'
import type { StreamSlotsOptions } from './stream-slots.ts'
import { createStreams, type EventStreams, type StreamRequest } from './streams.ts'

const REF: ChannelRef = { channel_id: 'c', access_key: 'k', direction: 'write' }

/** A channel that stands when the test says so, and what became of it. */
interface Channel {
  readonly writer: ChannelWriter
  readonly seen: string[]
  connect(): void
}

function createChannel(): Channel {
  const seen: string[] = []
  let connect: () => void = () => undefined
  let over: () => void = () => undefined
  let fail: (error: Error) => void = () => undefined
  const standing = new Promise<void>((resolve, reject) => {
    connect = resolve
    fail = reject
  })
  const closed = new Promise<void>((resolve) => {
    over = resolve
  })
  const writer: ChannelWriter = {
    isOpen: true,
    opened: standing,
    closed,
    sendMessage: () => standing,
    write: (bytes) => standing.then(() => void seen.push(bytes.toString())),
    async close() {
      await standing
      seen.push('end')
      over()
    },
    terminate() {
      seen.push('cut')
      fail(new Error('cut'))
      over()
    },
  }
  return { writer, seen, connect }
}

function createStage(limits: StreamSlotsOptions) {
  const channels: Channel[] = []
  const streams: EventStreams = createStreams({
    openWriter() {
      const channel = createChannel()
      channels.push(channel)
      return channel.writer
    },
    timings: { keepAliveMs: 60_000, stallMs: 30_000, queueBytes: 1_000 },
    follow: () => () => undefined,
    replies: { stop: async () => undefined },
    graceMs: 0,
    log: createLog({ name: 'mcp', level: 'silent' }),
    ...limits,
  })
  const open = (request: Partial<StreamRequest> = {}) => {
    const stream = streams.open({ principal: EVERYBODY, ...request, ref: REF, onOver: () => undefined })
    void stream?.send('hello')
    return stream
  }
  return { streams, channels, open }
}

describe('a stream whose place another takes before its connection stands', () => {
  it('still brings what it had, and its end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { streams, channels, open } = createStage({ atOnce: 10, perOwner: 1 })
    for (let n = 0; n < 5; n++) expect(open({ owner: 's' })).toBeDefined()
    await vi.advanceTimersByTimeAsync(1_000)
    vi.useRealTimers()
    for (const { connect } of channels) connect()
    await vi.waitFor(() => expect(streams.count).toBe(1))
    expect(channels.slice(0, 4).map(({ seen }) => seen)).toEqual(Array.from({ length: 4 }, () => ['hello', 'end']))
    await streams.close()
  })

  it('is cut when it never stands', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { streams, channels, open } = createStage({ atOnce: 10, perOwner: 1 })
      for (let n = 0; n < 3; n++) open({ owner: 's' })
      await vi.advanceTimersByTimeAsync(5_000)
      expect([streams.count, channels.map(({ seen }) => seen)]).toEqual([1, [['cut'], ['cut'], []]])
    } finally {
      vi.useRealTimers()
    }
  })

  it('is one of so many at most: then the next has to wait', async () => {
    const { streams, channels, open } = createStage({ atOnce: 10, perOwner: 1 })
    for (let n = 0; n < 1 + 8; n++) expect(open({ owner: 's' })).toBeDefined()
    expect(open({ owner: 's' })).toBeUndefined()
    expect(open({ owner: 'another' })).toBeDefined()
    for (const { connect } of channels) connect()
    await vi.waitFor(() => expect(streams.count).toBe(2))
    expect(open({ owner: 's' })).toBeDefined()
    channels.at(-1)?.connect()
    await streams.close()
  })
})

describe('callers without a session', () => {
  it('have at most half of all streams open together, and sessions at most three quarters', async () => {
    const { streams, channels, open } = createStage({ atOnce: 8, perOwner: 2 })
    const first = Array.from({ length: 4 }, () => open({ isForReply: true }))
    expect(first).not.toContain(undefined)
    expect(open({ isForReply: true })).toBeUndefined()
    for (let n = 0; n < 4; n++) expect(open({ owner: `s${n}` })).toBeDefined()
    expect([open({ owner: 's5' }), open()]).toEqual([undefined, undefined])
    for (const { connect } of channels) connect()
    await Promise.all(first.map(async (stream) => stream?.end()))
    expect([open({ owner: 's5' }), open({ owner: 's6' })]).not.toContain(undefined)
    expect([streams.count, open({ owner: 's7' })]).toEqual([6, undefined])
    expect([open(), open()]).not.toContain(undefined)
    for (const { connect } of channels) connect()
    await streams.close()
  })
})

describe('a principal', () => {
  it('has as many streams open as it may, in all its sessions and without one, and the others have theirs', async () => {
    const limitOf = ({ id }: Principal) => (id === 'token:ci' ? 2 : 8)
    const { streams, channels, open } = createStage({ atOnce: 32, perOwner: 2, limitOf })
    const [ci, desk] = ['token:ci', 'token:desk'].map((id): Principal => ({ ...EVERYBODY, id, method: 'token' }))
    const as = (principal = EVERYBODY) => ({ principal, isForReply: true })
    const first = open({ ...as(ci), owner: 'one' })
    expect([first, open({ ...as(ci), owner: 'two' })]).not.toContain(undefined)
    expect([open({ ...as(ci), owner: 'three' }), open(as(ci))]).toEqual([undefined, undefined])
    expect([open({ ...as(desk), owner: 'four' }), open(as(desk)), open(as())]).not.toContain(undefined)
    for (const { connect } of channels) connect()
    await first?.end()
    expect([open(as(ci)) === undefined, open(as(ci))]).toEqual([false, undefined])
    for (const { connect } of channels) connect()
    await streams.close()
  })

  it('gives up a stream that it listens on for a newer one of the same session', async () => {
    const { streams, channels, open } = createStage({ atOnce: 32, perOwner: 8, limitOf: () => 1 })
    const principal: Principal = { ...EVERYBODY, id: 'token:ci', method: 'token' }
    expect([open({ principal, owner: 'one' }), open({ principal, owner: 'one' })]).not.toContain(undefined)
    for (const { connect } of channels) connect()
    await vi.waitFor(() => expect(streams.count).toBe(1))
    await streams.close()
  })
})

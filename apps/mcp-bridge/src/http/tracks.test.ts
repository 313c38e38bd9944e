import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LiveSession } from '../sessions/index.ts'
import type { EventStream, OpenStream } from './event-stream.ts'
import { createTracks, parseEventId } from './tracks.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

function createLive(handle: string): LiveSession {
  const facts = { handle, revision: '2025-11-25', capabilities: {}, client: undefined, mintedAt: 0 }
  return { facts, calls: new Map(), openStreams: 0, onEnd: new Set() } as unknown as LiveSession
}

/** A response that remembers what it was sent. */
function createResponse() {
  const sent: string[] = []
  let leave = () => {}
  const stream: EventStream = {
    isOpen: true,
    opened: Promise.resolve(true),
    over: Promise.resolve(),
    send(frames) {
      sent.push(frames)
      return Promise.resolve(true)
    },
    end: async () => {
      leave()
      return true
    },
    cut: () => leave(),
  }
  const open: OpenStream = (onOver) => {
    leave = () => onOver('left')
    return stream
  }
  return { sent, stream, open, leave: () => leave() }
}

const begin = { graceMs: 1_500, onAbandoned: () => {}, onUnopened: () => {} }

describe('a track', () => {
  it('names itself and the request that it is for in the ids of its events', () => {
    const tracks = createTracks()
    const live = createLive('s')
    for (const request of [7, 'a"ä', undefined, 'x'.repeat(100)]) {
      const { sent, open } = createResponse()
      const track = tracks.begin(live, { ...begin, request })
      track.carry(open)
      void track.send('{}')
      const ids = sent.map((frame) => /^id: (\S+)$/m.exec(frame)?.[1] ?? '').map(parseEventId)
      const told = typeof request === 'string' && request.length > 60 ? undefined : request
      expect(ids).toEqual([0, 1].map((seq) => ({ track: track.id, seq, request: told })))
      expect(tracks.find(live, track.id)).toBe(track)
      expect(tracks.find(createLive('other'), track.id)).toBeUndefined()
    }
  })

  it.each(['', 'x', 'AAAAAAAAAAAA', 'AAAAAAAAAAAA.', 'AAAAAAAAAAAA.1 ', `${'A'.repeat(12)}~.1`, '../../etc.1'])(
    'is not what "%s" names',
    (text) => {
      expect(parseEventId(text)).toBeUndefined()
    },
  )

  it('is abandoned when its reader stays away, not when the server told it to come back', () => {
    const abandoned: string[] = []
    const tracks = createTracks()
    const [left, closed] = ['left', 'closed'].map((name) => {
      const response = createResponse()
      const track = tracks.begin(createLive('s'), { ...begin, onAbandoned: () => abandoned.push(name) })
      track.carry(response.open)
      return { track, response }
    })
    left?.response.leave()
    void closed?.track.pause()
    vi.advanceTimersByTime(1_499)
    expect(abandoned).toEqual([])
    vi.advanceTimersByTime(600_000)
    expect(abandoned).toEqual(['left'])
  })

  it('is not abandoned when a reader that comes back for its reply is refused, as one is that only listens', async () => {
    const abandoned: string[] = []
    for (const [name, request] of [
      ['reply', 1],
      ['listening', undefined],
    ] as const) {
      const onAbandoned = () => abandoned.push(name)
      const track = createTracks().begin(createLive('s'), { ...begin, onAbandoned, request })
      const response = createResponse()
      track.carry(response.open)
      await response.stream.opened
      response.leave()
      let refuse = () => {}
      track.carry((onOver) => {
        refuse = () => onOver('unopened')
        return createResponse().stream
      })
      refuse()
    }
    vi.advanceTimersByTime(600_000)
    expect(abandoned).toEqual(['listening'])
  })

  it('that ended is forgotten after five minutes, with its session, and beyond a thousand', async () => {
    const tracks = createTracks()
    const [one, other] = [createLive('one'), createLive('other')]
    for (const live of [one, one, other]) await tracks.begin(live, begin).end('{}')
    expect(tracks.size).toBe(3)
    for (const done of one.onEnd) done()
    expect([tracks.size, one.onEnd.size]).toEqual([1, 0])
    vi.advanceTimersByTime(300_000)
    expect([tracks.size, other.onEnd.size, vi.getTimerCount()]).toEqual([0, 0, 0])
    for (let n = 0; n < 1_100; n++) await tracks.begin(createLive(`s${n}`), begin).end('{}')
    expect([tracks.size, vi.getTimerCount()]).toEqual([1_024, 1_024])
  })

  it('that ended with nothing to be asked for is forgotten at once, also after its session', async () => {
    const tracks = createTracks()
    const live = createLive('s')
    await tracks.begin(live, { ...begin, request: 7 }).end()
    expect([tracks.size, live.onEnd.size, vi.getTimerCount()]).toEqual([0, 0, 0])
    const track = tracks.begin(live, begin)
    await track.send('{}')
    for (const done of live.onEnd) done()
    await track.end()
    expect([tracks.size, live.onEnd.size, vi.getTimerCount()]).toEqual([0, 0, 0])
  })

  it('does not push out the replies of others where it never had a response', async () => {
    const tracks = createTracks()
    const live = createLive('s')
    const kept = tracks.begin(live, { ...begin, request: 7 })
    await kept.end('{}')
    for (let n = 0; n < 1_100; n++) await tracks.begin(createLive(`s${n}`), { ...begin, request: n }).end()
    expect(tracks.find(live, kept.id)).toBe(kept)
  })

  it('that ended is not found once its last event was pushed out', async () => {
    const tracks = createTracks()
    const live = createLive('s')
    const lost = tracks.begin(live, { ...begin, request: 7 })
    await lost.send('{}')
    await lost.end('{}')
    expect(tracks.find(live, lost.id)).toBe(lost)
    const other = tracks.begin(live, begin)
    for (let n = 0; n < 511; n++) await other.send('{}')
    expect(tracks.find(live, lost.id)).toBe(lost)
    await other.send('{}')
    expect([tracks.find(live, lost.id), tracks.find(live, other.id)]).toEqual([undefined, other])
  })

  it('whose response never stood is forgotten at once, also where it has ended before', async () => {
    const tracks = createTracks()
    const live = createLive('s')
    for (const isEnded of [false, true]) {
      const track = tracks.begin(live, begin)
      let refuse = () => {}
      track.carry((onOver) => {
        refuse = () => onOver('unopened')
        return { ...createResponse().stream, opened: Promise.resolve(false) }
      })
      if (isEnded) await track.end('{}')
      else await track.send('{}')
      expect(tracks.size).toBe(1)
      refuse()
      expect([tracks.size, live.onEnd.size, vi.getTimerCount()]).toEqual([0, 0, 0])
    }
  })
})

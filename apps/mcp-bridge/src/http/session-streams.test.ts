import type { ChannelRef } from '@iii/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EVERYBODY, type Principal } from '../auth/principal.ts'
import type { Watcher } from '../changes/index.ts'
import type { LiveSession } from '../sessions/index.ts'
import type { EventStream } from './event-stream.ts'
import { createSessionStreams } from './session-streams.ts'
import type { StreamRequest } from './streams.ts'
import { createTracks } from './tracks.ts'

const REF: ChannelRef = { channel_id: 'c', access_key: 'k', direction: 'write' }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

function createStage(revision: string) {
  const sent: string[] = []
  /** How the reader of each stream leaves. */
  const readers: (() => void)[] = []
  const arrivals: Watcher[] = []
  const stop = vi.fn()
  /** Where the next stream stands when the test says so. */
  const openings: Promise<boolean>[] = []
  let isFull = false
  const open = ({ onOver }: StreamRequest): EventStream | undefined => {
    if (isFull) return undefined
    const opened = openings.shift() ?? Promise.resolve(true)
    void opened.then((isOpened) => isOpened || onOver('unopened'))
    const leave = () => onOver('left')
    readers.push(leave)
    return {
      isOpen: true,
      opened,
      over: Promise.resolve(),
      send: (frames) => Promise.resolve(sent.push(frames) > 0),
      end: async () => {
        leave()
        return true
      },
      cut: leave,
    }
  }
  const watch = (watcher: Watcher) => {
    arrivals.push(watcher)
    return stop
  }
  const tracks = createTracks()
  const listening = createSessionStreams({ streams: { open } as never, tracks, watch })
  const live = {
    facts: { handle: 's', revision },
    state: { subscriptions: new Set(['iii://orders']) },
    calls: new Map(),
    openStreams: 0,
    onEnd: new Set(),
  } as unknown as LiveSession
  const isThere = () => arrivals.at(-1)?.isThere?.()
  const resume = () => {
    const [, id = '', seq = ''] = /^id: (.+)\.(\d+)$/m.exec(sent[0] ?? '') ?? []
    const track = tracks.find(live, id)
    return track && listening.resume(live, track, Number(seq), { ref: REF, principal: EVERYBODY })?.isOpen
  }
  return {
    listening,
    live,
    readers,
    sent,
    openings,
    arrivals,
    stop,
    isThere,
    resume,
    refuse: (whether: boolean) => {
      isFull = whether
    },
    open: (principal = EVERYBODY) => listening.open(live, { ref: REF, principal })?.isOpen,
  }
}

describe('a session that listens', () => {
  it('is not there while nobody reads its streams, and what it may have missed is looked at when somebody does', () => {
    const { open, readers, arrivals, stop, isThere, resume } = createStage('2025-11-25')
    expect([open(), isThere()]).toEqual([true, true])
    expect([open(), arrivals.length]).toEqual([true, 1])
    for (const leave of readers) leave()
    expect([isThere(), stop.mock.calls.length]).toEqual([false, 0])
    expect([resume(), isThere(), arrivals.length]).toEqual([true, true, 2])
    expect([resume(), arrivals.length]).toEqual([true, 2])
    readers.at(-1)?.()
    expect([isThere(), open(), isThere(), arrivals.length]).toEqual([false, true, true, 3])
    expect(new Set(arrivals).size).toBe(1)
  })

  it('is told to look at everything again when its token had ended: meanwhile nothing was kept for it', () => {
    const stage = createStage('2025-11-25')
    const told = () => stage.sent.flatMap((frames) => frames.match(/\w+\/list_changed|iii:\/\/orders/g) ?? [])
    let standing: Principal | undefined = EVERYBODY
    stage.open({ ...EVERYBODY, asOfNow: () => standing })
    stage.readers[0]?.()
    standing = undefined
    stage.refuse(true)
    expect([stage.resume(), told()]).toEqual([undefined, []])
    stage.refuse(false)
    expect(stage.resume()).toBe(true)
    const all = ['tools/list_changed', 'prompts/list_changed', 'resources/list_changed', 'iii://orders']
    expect(told()).toEqual(all)
    // It reads the same events again, and no others.
    expect([stage.resume(), told()]).toEqual([true, [...all, ...all]])
  })

  it('is forgotten when it stays away', () => {
    const { open, readers, stop } = createStage('2025-11-25')
    open()
    readers[0]?.()
    vi.advanceTimersByTime(300_000)
    expect(stop).toHaveBeenCalledOnce()
  })

  it('in a revision that takes no stream up again is forgotten at once', () => {
    const { open, readers, stop } = createStage('2025-06-18')
    open()
    readers[0]?.()
    expect(stop).toHaveBeenCalledOnce()
  })

  it.each(['2025-06-18', '2025-11-25'])(
    'in %s hears on an older stream what a newer one was told that never stood',
    async (revision) => {
      const { open, sent, openings, arrivals } = createStage(revision)
      open()
      let refuse = () => {}
      openings.push(new Promise((resolve) => (refuse = () => resolve(false))))
      open()
      arrivals[0]?.tell('notifications/tools/list_changed', {})
      const told = () => sent.filter((frames) => frames.includes('list_changed')).length
      expect(told()).toBe(1)
      refuse()
      await vi.waitFor(() => expect(told()).toBe(2))
      arrivals[0]?.tell('notifications/tools/list_changed', {})
      expect(told()).toBe(3)
    },
  )
})

import { describe, expect, it, vi } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { RPC } from '../mcp/rpc.ts'
import { startSessionStage } from '../testing/session-stage.ts'
import { untilAnswer } from '../testing/until.ts'
import type { Sessions } from './index.ts'

const asked = { revision: '2025-06-18', capabilities: {}, client: undefined }
const HOUR = 3_600_000

/** A session whose client has had a reply. */
async function openUsed(sessions: Sessions): Promise<string> {
  const id = sessions.mint(asked, EVERYBODY)
  const live = await sessions.enter(id, EVERYBODY)
  if (live !== undefined) live.hasFinishedARequest = true
  return id
}

describe('what a client sets in its session', () => {
  it('is as every session begins until then, and nothing is stored', async () => {
    await using stage = await startSessionStage()
    const sessions = await stage.start()
    const live = await sessions.enter(sessions.mint(asked, EVERYBODY), EVERYBODY)
    expect([live?.state.logLevel, [...(live?.state.subscriptions ?? [])]]).toEqual(['info', []])
    await sessions.close()
    expect(await stage.rows('settings')).toEqual([])
  })

  it('is there for a bridge that takes the session over', async () => {
    await using stage = await startSessionStage()
    const [first, twin] = [await stage.start(), await stage.start()]
    const id = first.mint(asked, EVERYBODY)
    const live = await first.enter(id, EVERYBODY)
    await live?.state.setLogLevel('error')
    for (const uri of ['iii://a', 'iii://b', 'iii://a']) await live?.state.subscribe(uri)
    await live?.state.unsubscribe('iii://b')
    await first.close()
    // Requests that come together are in one session.
    const [taken, again] = await Promise.all([twin.enter(id, EVERYBODY), twin.enter(id, EVERYBODY)])
    expect(again).toBe(taken)
    const { state } = taken ?? {}
    expect([state?.logLevel, [...(state?.subscriptions ?? [])]]).toEqual(['error', ['iii://a']])
  })

  it('is one write for a burst, and each bridge hears of it once', async () => {
    await using stage = await startSessionStage()
    const setRow = vi.fn(stage.store.setRow)
    const sessions = await stage.start({ store: { ...stage.store, setRow } })
    const live = await sessions.enter(sessions.mint(asked, EVERYBODY), EVERYBODY)
    for (let n = 0; n < 200; n++) await live?.state.subscribe(`iii://${n}`)
    expect(setRow).not.toHaveBeenCalled()
    const [row] = await untilAnswer(
      () => stage.rows('settings'),
      ({ length }) => length > 0,
    )
    expect(row?.['subscriptions']).toHaveLength(200)
    expect(setRow).toHaveBeenCalledOnce()
  })

  it('follows what is set at a twin, and not what comes back of its own', async () => {
    await using stage = await startSessionStage()
    const [first, twin] = [await stage.start(), await stage.start()]
    const id = first.mint(asked, EVERYBODY)
    const [mine, its] = [await first.enter(id, EVERYBODY), await twin.enter(id, EVERYBODY)]
    await its?.state.setLogLevel('debug')
    await untilAnswer(
      () => mine?.state.logLevel,
      (level) => level === 'debug',
    )
    await its?.state.setLogLevel('warning')
    await its?.state.subscribe('iii://a')
    expect(
      await untilAnswer(
        () => [mine?.state.logLevel, mine?.state.subscriptions.has('iii://a')],
        ([, has]) => has === true,
      ),
    ).toEqual(['warning', true])
    expect(its?.state.logLevel).toBe('warning')
  })

  it('has at most 256 subscriptions, which take at most 32 KiB together', async () => {
    await using stage = await startSessionStage()
    const sessions = await stage.start()
    const [many, long] = [
      await sessions.enter(sessions.mint(asked, EVERYBODY), EVERYBODY),
      await sessions.enter(sessions.mint(asked, EVERYBODY), EVERYBODY),
    ]
    for (let n = 0; n < 256; n++) await many?.state.subscribe(`iii://${n}`)
    await expect(many?.state.subscribe('iii://one-more')).rejects.toThrow(/may have 256; unsubscribe/)
    await many?.state.subscribe('iii://7')
    for (let n = 0; n < 29; n++) await long?.state.subscribe(`iii://${n}`.padEnd(1_100, 'x'))
    const refused = long?.state.subscribe('iii://one-more'.padEnd(1_100, 'x'))
    await expect(refused).rejects.toThrow(/may take 32768 bytes together; unsubscribe/)
    await long?.state.unsubscribe('iii://0'.padEnd(1_100, 'x'))
    await long?.state.subscribe('iii://one-more'.padEnd(1_100, 'x'))
  })

  it('goes with the session, also when its bridge is gone', async () => {
    await using stage = await startSessionStage()
    const sessions = await stage.start()
    const ids = [sessions.mint(asked, EVERYBODY), sessions.mint(asked, EVERYBODY)] as [string, string]
    for (const id of ids) await (await sessions.enter(id, EVERYBODY))?.state.setLogLevel('error')
    await sessions.close()
    expect(await stage.rows('settings')).toHaveLength(2)
    await sessions.end(ids[0], EVERYBODY)
    expect(await stage.rows('settings')).toHaveLength(1)
    stage.clock.now += 27 * HOUR
    const later = await stage.start()
    await untilAnswer(
      () => stage.rows('settings'),
      ({ length }) => length === 0,
    )
    expect(await later.enter(ids[1], EVERYBODY)).toBeUndefined()
  })
})

describe('the settings of all sessions', () => {
  it('have a bound: who has the most gives way, and is refused where that is who asks', async () => {
    await using stage = await startSessionStage()
    const sessions = await stage.start({ settingsBytes: 9_700 })
    const greedy = await Promise.all([1, 2, 3].map(async () => sessions.mint(asked, EVERYBODY)))
    const long = (n: number) => `iii://${n}`.padEnd(1_000, 'x')
    for (const id of greedy) {
      const state = (await sessions.enter(id, EVERYBODY))?.state
      for (let n = 0; n < 3; n++) await state?.subscribe(long(n))
    }
    const modest = await sessions.enter(sessions.mint(asked, EVERYBODY), EVERYBODY)
    for (let n = 0; n < 5; n++) await modest?.state.subscribe(`iii://${n}`)
    const alive = await Promise.all(greedy.map((id) => sessions.enter(id, EVERYBODY)))
    expect(alive.filter((live) => live !== undefined)).toHaveLength(2)
    const state = alive.find((live) => live !== undefined)?.state
    const most = Array.from({ length: 9 }, (_, n) => long(n + 10))
    const asks = most.map(async (uri) => {
      await state?.subscribe(uri)
    })
    await expect(Promise.all(asks)).rejects.toMatchObject({ code: RPC.overloaded })
  })

  it('take what is there, however often something was set and taken back', async () => {
    await using stage = await startSessionStage()
    const sessions = await stage.start({ settingsBytes: 9_700 })
    const others = sessions.mint(asked, EVERYBODY)
    const restless = (await sessions.enter(sessions.mint(asked, EVERYBODY), EVERYBODY))?.state
    for (let n = 0; n < 3; n++)
      await (await sessions.enter(others, EVERYBODY))?.state.subscribe(`iii://${n}`.padEnd(1_000, 'x'))
    const uri = 'iii://a'.padEnd(1_000, 'x')
    for (let n = 0; n < 20; n++) {
      await restless?.subscribe(uri)
      await restless?.unsubscribe(uri)
    }
    expect((await sessions.enter(others, EVERYBODY))?.state.subscriptions.size).toBe(3)
  })
})

describe('settings without a store', () => {
  it('last as long as the process, count as others do, and count no more when their session has ended', async () => {
    await using stage = await startSessionStage()
    const down = () => Promise.reject(new Error('function_not_found'))
    const store = { ...stage.store, part: down, changePart: down, row: down, setRow: down, removeRow: down }
    const sessions = await stage.start({ store, settingsBytes: 1_000 })
    for (let n = 0; n < 8; n++) {
      const id = sessions.mint(asked, EVERYBODY)
      const live = await sessions.enter(id, EVERYBODY)
      await live?.state.subscribe(`iii://${n}`.padEnd(400, 'x'))
      await sessions.close()
      expect([...((await sessions.enter(id, EVERYBODY))?.state.subscriptions ?? [])]).toHaveLength(1)
      if (n % 2) await sessions.end(id, EVERYBODY)
    }
    const live = await sessions.enter(sessions.mint(asked, EVERYBODY), EVERYBODY)
    if (live !== undefined) live.openStreams++
    await live?.state.subscribe('iii://a'.padEnd(700, 'x'))
    expect(live?.state.subscriptions.size).toBe(1)
  })
})

describe('too many sessions', () => {
  it('make a bridge forget those that never asked first, whose clients do not notice', async () => {
    await using stage = await startSessionStage()
    const sessions = await stage.start({ atOnce: 3 })
    const used = await openUsed(sessions)
    const flood = Array.from({ length: 20 }, () => sessions.mint(asked, EVERYBODY))
    expect(sessions.size).toBe(3)
    const live = await sessions.enter(used, EVERYBODY)
    expect(live?.hasFinishedARequest).toBe(true)
    expect(await sessions.enter(flood[0] ?? '', EVERYBODY)).toBeDefined()
    expect(await stage.ended()).toEqual([])
  })

  it('end none that is used, and none that has set something: it is found again', async () => {
    await using stage = await startSessionStage()
    const sessions = await stage.start({ atOnce: 3 })
    const [streaming, calling, subscribed] = [
      await openUsed(sessions),
      await openUsed(sessions),
      await openUsed(sessions),
    ]
    const [a, b, c] = [
      await sessions.enter(streaming, EVERYBODY),
      await sessions.enter(calling, EVERYBODY),
      await sessions.enter(subscribed, EVERYBODY),
    ]
    if (a !== undefined) a.openStreams++
    b?.calls.set(1, { id: 1, abort: () => undefined })
    await c?.state.subscribe('iii://a')
    await sessions.close()
    for (let n = 0; n < 5; n++) await openUsed(sessions)
    expect(await sessions.enter(streaming, EVERYBODY)).toBe(a)
    expect(await sessions.enter(calling, EVERYBODY)).toBe(b)
    const again = await sessions.enter(subscribed, EVERYBODY)
    expect(again).not.toBe(c)
    expect([...(again?.state.subscriptions ?? [])]).toEqual(['iii://a'])
    expect(await stage.ended()).toEqual([])
  })
})

describe('an idle session', () => {
  it('ends after a day, unless a stream is open or a twin has seen its client', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      await using stage = await startSessionStage()
      const [first, twin] = [await stage.start(), await stage.start()]
      const ids = [first.mint(asked, EVERYBODY), first.mint(asked, EVERYBODY), first.mint(asked, EVERYBODY)] as const
      const [, streaming] = await Promise.all(ids.map((id) => first.enter(id, EVERYBODY)))
      if (streaming !== undefined) streaming.openStreams++
      await twin.enter(ids[2], EVERYBODY)
      stage.clock.now += 24 * HOUR
      await twin.enter(ids[2], EVERYBODY)
      await untilAnswer(
        () => stage.rows('index'),
        (rows) => rows.some(({ key }) => key === 'settings-0'),
      )
      stage.clock.now += HOUR / 2
      vi.advanceTimersByTime(60_000)
      await untilAnswer(
        () => stage.ended(),
        ({ length }) => length > 0,
      )
      expect(first.size).toBe(1)
      expect(await first.enter(ids[0], EVERYBODY)).toBeUndefined()
      for (const id of ids.slice(1)) expect(await first.enter(id, EVERYBODY)).toBeDefined()
    } finally {
      vi.useRealTimers()
    }
  })
})

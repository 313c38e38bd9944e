import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { describe, expect, it, vi } from 'vitest'
import { until } from '../testing/until.ts'
import { createSessions, type Sessions } from './index.ts'
import { createSessionStore } from './store.ts'

const log = createLog({ name: 'mcp', level: 'silent' })
const asked = { revision: '2025-06-18', capabilities: {}, client: undefined }
const HOUR = 3_600_000

/** Two bridges on one engine, and a clock for both. */
async function startTwins(options: { atOnce?: number } = {}) {
  const engine = await startMockEngine()
  const worker = registerWorker(engine.url, { name: 'mcp', log })
  await worker.ready()
  const clock = { now: Date.now() }
  const create = () =>
    createSessions({ store: createSessionStore(worker, 2_000), log, now: () => clock.now, ...options })
  const twins = [create(), create()] as [Sessions, Sessions]
  for (const sessions of twins) await sessions.load()
  return {
    clock,
    twins,
    create,
    store: createSessionStore(worker, 2_000),
    async [Symbol.asyncDispose]() {
      for (const sessions of twins) sessions.close()
      await worker.shutdown()
      await engine[Symbol.asyncDispose]()
    },
  }
}

describe('what a client sets in its session', () => {
  it('is as every session begins until then', async () => {
    await using stage = await startTwins()
    const live = await stage.twins[0].enter(stage.twins[0].mint(asked))
    expect([live?.state.logLevel, [...(live?.state.subscriptions ?? [])]]).toEqual(['info', []])
    expect(await stage.store.rows()).toEqual([])
  })

  it('is there for a bridge that takes the session over', async () => {
    await using stage = await startTwins()
    const id = stage.twins[0].mint(asked)
    const live = await stage.twins[0].enter(id)
    await live?.state.setLogLevel('error')
    for (const uri of ['iii://a', 'iii://b', 'iii://a']) await live?.state.subscribe(uri)
    await live?.state.unsubscribe('iii://b')
    const state = (await stage.twins[1].enter(id))?.state
    expect([state?.logLevel, [...(state?.subscriptions ?? [])]]).toEqual(['error', ['iii://a']])
  })

  it('follows what is set at a twin, and not what comes back of its own', async () => {
    await using stage = await startTwins()
    const [first, twin] = stage.twins
    const id = first.mint(asked)
    const [mine, its] = [await first.enter(id), await twin.enter(id)]
    await its?.state.setLogLevel('debug')
    const [row] = await stage.store.rows()
    const event = {
      scope: 'mcp-session-settings',
      new_value: {
        handle: row?.handle,
        log_level: 'debug',
        subscriptions: [],
        writer: row?.writer,
        used_at: 0,
        expires_at: 0,
      },
    }
    await its?.state.setLogLevel('warning')
    for (const sessions of stage.twins) sessions.observe(event)
    expect([mine?.state.logLevel, its?.state.logLevel]).toEqual(['debug', 'warning'])
  })

  it('has at most 256 subscriptions', async () => {
    await using stage = await startTwins()
    const live = await stage.twins[0].enter(stage.twins[0].mint(asked))
    for (let n = 0; n < 256; n++) await live?.state.subscribe(`iii://${n}`)
    await expect(live?.state.subscribe('iii://one-more')).rejects.toThrow(/256/)
    await live?.state.subscribe('iii://7')
  })

  it('goes with the session', async () => {
    await using stage = await startTwins()
    const [sessions] = stage.twins
    const ids = [sessions.mint(asked), sessions.mint(asked)] as [string, string]
    for (const id of ids) await (await sessions.enter(id))?.state.setLogLevel('error')
    await sessions.end(ids[0])
    expect(await stage.store.rows()).toHaveLength(1)
    stage.clock.now += 8 * 24 * HOUR
    await sessions.load()
    await until(
      () => stage.store.rows(),
      (rows) => rows.length === 0,
    )
  })
})

describe('too many sessions', () => {
  it('end the one that was unused for longest, and never one with an open stream or call', async () => {
    await using stage = await startTwins({ atOnce: 3 })
    const [sessions] = stage.twins
    const [streaming, calling, idle] = [sessions.mint(asked), sessions.mint(asked), sessions.mint(asked)]
    const [a, b] = [await sessions.enter(streaming), await sessions.enter(calling)]
    if (a !== undefined) a.openStreams++
    b?.calls.set(1, () => undefined)
    const newest = sessions.mint(asked)
    await until(
      () => stage.store.ended(),
      (rows) => rows.length === 1,
    )
    expect(await sessions.enter(idle)).toBeUndefined()
    for (const id of [streaming, calling, newest]) expect(await sessions.enter(id)).toBeDefined()
    expect(sessions.size).toBe(3)
  })
})

describe('an idle session', () => {
  it('ends after a day, unless a stream is open or a twin has seen its client', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      await using stage = await startTwins()
      const [first, twin] = stage.twins
      const ids = [first.mint(asked), first.mint(asked), first.mint(asked)] as const
      const [, streaming] = await Promise.all(ids.map((id) => first.enter(id)))
      if (streaming !== undefined) streaming.openStreams++
      await twin.enter(ids[2])
      for (let hour = 0; hour < 24; hour++) {
        stage.clock.now += HOUR
        await twin.enter(ids[2])
      }
      stage.clock.now += HOUR / 2
      vi.advanceTimersByTime(60_000)
      await until(
        () => stage.store.ended(),
        (rows) => rows.length > 0,
      )
      await until(
        () => first.size,
        (size) => size === 1,
      )
      expect(await first.enter(ids[0])).toBeUndefined()
      for (const id of ids.slice(1)) expect(await first.enter(id)).toBeDefined()
    } finally {
      vi.useRealTimers()
    }
  })
})

import { randomBytes } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { type SessionStage, startSessionStage } from '../testing/session-stage.ts'
import { untilAnswer } from '../testing/until.ts'
import type { SessionScope } from './store.ts'

const asked = { revision: '2025-06-18', capabilities: {}, client: undefined }
const DAY = 24 * 3_600_000

const MANY = Array.from({ length: 256 }, (_, n) => `iii://x/${n}`.padEnd(1_100, 'x'))

type Stranger = { id: string; handle: string }
type Older = { subscriptions?: string[]; usedAt?: number; expiresAt?: number }

/** Stores settings as an older version did. */
async function storeSettings(stage: SessionStage, handle: string, row: Older = {}): Promise<void> {
  const { subscriptions = ['iii://a'], usedAt = stage.clock.now, expiresAt = stage.clock.now + 3 * DAY } = row
  const value = { handle, log_level: 'error', subscriptions, writer: 'w', used_at: usedAt, expires_at: expiresAt }
  await stage.engine.call('state::set', { scope: 'mcp-session-settings', key: handle, value })
}

async function storeEnd(stage: SessionStage, handle: string, expiresAt = stage.clock.now + DAY): Promise<void> {
  const value = { handle, expires_at: expiresAt }
  await stage.engine.call('state::set', { scope: 'mcp-sessions-ended', key: handle, value })
}

const newHandle = () => randomBytes(12).toString('base64url')

/** A session that nobody has begun here, as a restarted bridge finds it. */
async function strangers(stage: SessionStage, count: number): Promise<Stranger[]> {
  const first = await stage.start({ store: { ...stage.store, scopes: async () => [] } })
  return Promise.all(
    Array.from({ length: count }, async () => {
      const id = first.mint(asked, EVERYBODY)
      return { id, handle: (await first.enter(id, EVERYBODY))?.facts.handle ?? '' }
    }),
  )
}

/** What nobody needs any more. */
async function storeRest(stage: SessionStage): Promise<void> {
  const { now } = stage.clock
  for (let n = 0; n < 50; n++) await storeEnd(stage, newHandle(), now + (n % 2 ? DAY : -1))
  for (const row of [{ subscriptions: MANY }, { usedAt: now - 2 * DAY }, { expiresAt: now - 1 }]) {
    await storeSettings(stage, newHandle(), row)
    await storeSettings(stage, newHandle(), row)
  }
}

const left = (stage: SessionStage) => async () =>
  (await Promise.all([stage.rows('ended'), stage.rows('settings')])).map(({ length }) => length)

describe('a store that an older version has filled', () => {
  it('is taken over: what still counts stays, what is over or too much goes', async () => {
    await using stage = await startSessionStage()
    const [ended, used, greedy] = (await strangers(stage, 3)) as [Stranger, Stranger, Stranger]
    await storeEnd(stage, ended.handle)
    await storeRest(stage)
    await storeSettings(stage, used.handle)
    await storeSettings(stage, greedy.handle, { subscriptions: MANY })
    const sessions = await stage.start()
    expect(await untilAnswer(left(stage), ([ends, rows]) => ends === 0 && rows === 1)).toEqual([0, 1])
    const live = await sessions.enter(used.id, EVERYBODY)
    expect([live?.state.logLevel, live?.state.subscriptions]).toEqual(['error', new Set(['iii://a'])])
    for (const gone of [ended, greedy]) expect(await sessions.enter(gone.id, EVERYBODY)).toBeUndefined()
    const started = await stage.start()
    expect(await started.enter(ended.id, EVERYBODY)).toBeUndefined()
  })

  it('says that a session has ended before it is taken over, and when it cannot be read as a whole', async () => {
    await using stage = await startSessionStage()
    const [ended, other] = await strangers(stage, 2)
    await storeEnd(stage, ended?.handle ?? '')
    await storeSettings(stage, other?.handle ?? '')
    const stream = vi.fn(() => {
      throw new Error('silent')
    })
    const sessions = await stage.start({ store: { ...stage.store, stream } })
    await untilAnswer(
      () => stream.mock.calls.length,
      (count) => count === 1,
    )
    expect(await sessions.enter(ended?.id ?? '', EVERYBODY)).toBeUndefined()
    expect((await sessions.enter(other?.id ?? '', EVERYBODY))?.state.logLevel).toBe('error')
    await sessions.load()
    expect(stream).toHaveBeenCalledOnce()
    stage.clock.now += 600_001
    await sessions.load()
    await untilAnswer(
      () => stream.mock.calls.length,
      (count) => count === 2,
    )
  })

  it('stays for the next time when a write fails before all of it is read', async () => {
    await using stage = await startSessionStage()
    await storeSettings(stage, newHandle())
    let goOn: () => void = () => undefined
    const pause = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const { stream, changePart } = stage.store
    async function* slowly(scope: SessionScope) {
      yield* stream(scope)
      await pause
    }
    const failing = vi.fn((key: string, changes: ReadonlyMap<string, unknown>) => {
      return key.startsWith('settings') ? Promise.reject(new Error('timeout')) : changePart(key, changes)
    })
    await stage.start({ store: { ...stage.store, stream: slowly, changePart: failing } })
    await untilAnswer(
      () => failing.mock.calls.some(([key]) => key.startsWith('settings')),
      (isWritten) => isWritten,
    )
    await new Promise((resolve) => setImmediate(resolve))
    goOn()
    await untilAnswer(
      () => stage.store.part('older-store'),
      (lease) => lease?.['until'] === 0,
    )
    expect(await stage.rows('settings')).toHaveLength(1)
  })

  it('is heard of while such a bridge still runs beside this one', async () => {
    await using stage = await startSessionStage()
    const [ended] = await strangers(stage, 1)
    const sessions = await stage.start()
    expect(await sessions.enter(ended?.id ?? '', EVERYBODY)).toBeDefined()
    await storeEnd(stage, ended?.handle ?? '')
    await untilAnswer(
      () => sessions.enter(ended?.id ?? '', EVERYBODY),
      (live) => live === undefined,
    )
  })

  it('is read by one bridge, and by the next one where that is gone', async () => {
    await using stage = await startSessionStage()
    const waits = new Promise<never>(() => undefined)
    const hangs = vi.fn(async function* () {
      yield await waits
    })
    await storeEnd(stage, newHandle())
    const first = await stage.start({ store: { ...stage.store, stream: hangs } })
    await untilAnswer(
      () => hangs.mock.calls.length,
      (count) => count === 1,
    )
    const second = await stage.start()
    await second.load()
    expect(await stage.rows('ended')).toHaveLength(1)
    await first.close()
    stage.clock.now += 30_001
    await second.load()
    await untilAnswer(left(stage), ([ends]) => ends === 0)
  })

  it('is not read while there is none, and not again and again while nothing is in it', async () => {
    await using stage = await startSessionStage()
    const scopes = vi.fn(stage.store.scopes)
    const unread = vi.fn(stage.store.stream)
    const fresh = await stage.start({ store: { ...stage.store, scopes, stream: unread } })
    await scopes.mock.results[0]?.value
    await fresh.load()
    expect(unread).not.toHaveBeenCalled()
    for (const scope of ['mcp-sessions-ended', 'mcp-session-settings']) {
      await stage.engine.call('state::set', { scope, key: 'x', value: 1 })
      await stage.engine.call('state::delete', { scope, key: 'x' })
    }
    const stream = vi.fn(stage.store.stream)
    const sessions = await stage.start({ store: { ...stage.store, stream } })
    await untilAnswer(
      () => stream.mock.calls.length,
      (count) => count === 2,
    )
    for (let n = 0; n < 3; n++) await sessions.load()
    expect(stream.mock.calls).toEqual([['mcp-sessions-ended'], ['mcp-session-settings']])
  })
})

import { createLog } from '@iii/sdk'
import { expect, it, vi } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { startSessionStage } from '../testing/session-stage.ts'

const asked = { revision: '2025-06-18', capabilities: {}, client: undefined }
const HUGE = Number.MAX_SAFE_INTEGER

/** What somebody else writes into a part of the index; its second member is one that a bridge could have written. */
const POISON = {
  'ended-0': Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`h${n}`, HUGE])),
  'settings-0': {
    aa: { bytes: 1e308, saved_at: 1, expires_at: HUGE },
    bb: { bytes: 1e308, saved_at: 1, expires_at: HUGE },
    cc: { bytes: -1, saved_at: 1, expires_at: 1 },
    dd: { bytes: 1, saved_at: HUGE, expires_at: 1 },
    ['x'.repeat(1_000)]: { bytes: 1, saved_at: 1, expires_at: 1 },
  },
}

it.each(Object.entries(POISON))(
  'what no bridge writes into %s ends no session and keeps none from beginning',
  async (key, value) => {
    await using stage = await startSessionStage()
    const log = createLog({ name: 'mcp', level: 'silent' })
    const warn = vi.spyOn(log, 'warn')
    const sessions = await stage.start({ endedAtOnce: 300, log })
    const id = sessions.mint(asked, EVERYBODY)
    await (await sessions.enter(id, EVERYBODY))?.state.subscribe('iii://skills')
    for (const _ of [1, 2]) {
      await stage.engine.call('state::set', { scope: 'mcp-session-index', key, value: { ...value, key } })
      await vi.waitFor(() => expect(warn).toHaveBeenCalled())
    }
    for (const each of [sessions, await stage.start({ endedAtOnce: 300 })]) {
      expect(await each.enter(id, EVERYBODY)).toBeDefined()
      const begun = await each.enter(each.mint(asked, EVERYBODY), EVERYBODY)
      await begun?.state.subscribe('iii://skills')
      expect(begun?.state.subscriptions.size).toBe(1)
    }
    expect(warn.mock.calls).toEqual([
      [{ scope: 'mcp-session-index', key }, expect.stringContaining('something else than a bridge')],
    ])
  },
)

it('the end of a session that something else than an older bridge tells of lasts no longer than a session', async () => {
  await using stage = await startSessionStage()
  const sessions = await stage.start({ endedAtOnce: 1 })
  const rows = [
    { handle: 'x'.repeat(1_000), expires_at: HUGE },
    { handle: 'ended', expires_at: HUGE },
  ]
  for (const [n, value] of rows.entries()) {
    await stage.engine.call('state::set', { scope: 'mcp-sessions-ended', key: `${n}`, value })
  }
  await vi.waitFor(async () => expect(await stage.ended()).toEqual(['ended']))
  expect(() => sessions.mint(asked, EVERYBODY)).toThrow('Too many sessions')
  stage.clock.now += 7 * 24 * 3_600_000 + 2_000
  await sessions.load()
  expect(await sessions.enter(sessions.mint(asked, EVERYBODY), EVERYBODY)).toBeDefined()
})

const OF_NOBODY = [{ id: 1, secret: '' }, { id: 1e20, secret: 5 }, null]

it.each(['text', 5, [[]], {}, { keys: 'text' }, { keys: {} }, { keys: OF_NOBODY }])(
  'what no bridge writes in place of keys keeps no session from another bridge: %j',
  async (value) => {
    await using stage = await startSessionStage()
    const write = () => stage.engine.call('state::set', { scope: 'mcp-session-keys', key: 'keys', value })
    await write()
    const first = await stage.start()
    const id = first.mint(asked, EVERYBODY)
    expect(await (await stage.start()).enter(id, EVERYBODY)).toBeDefined()
    await write()
    await vi.waitFor(async () => expect(await stage.store.keys()).not.toEqual([]))
    expect(await (await stage.start()).enter(id, EVERYBODY)).toBeDefined()
  },
)

import { expect, it } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { RPC } from '../mcp/rpc.ts'
import { toHolder } from '../testing/principals.ts'
import { startSessionStage } from '../testing/session-stage.ts'
import { SESSION_LIFE_MS } from './index.ts'

const asked = { revision: '2025-06-18', capabilities: {}, client: undefined }

it('sessions stay ended until they would have expired, however many have ended after them, here, at a twin and after a restart', async () => {
  await using stage = await startSessionStage()
  const [first, twin] = [await stage.start(), await stage.start()]
  const ids = Array.from({ length: 600 }, () => first.mint(asked, EVERYBODY))
  const kept = first.mint(asked, EVERYBODY)
  await Promise.all(ids.map((id) => first.end(id, EVERYBODY)))
  const restarted = await stage.start()
  for (const sessions of [first, twin, restarted]) {
    const served = await Promise.all(ids.map((id) => sessions.enter(id, EVERYBODY)))
    expect(served.filter((live) => live !== undefined)).toEqual([])
    expect(await sessions.enter(kept, EVERYBODY)).toBeDefined()
  }
})

it('beyond so many that have ended no session begins, at a twin neither, until some have expired', async () => {
  await using stage = await startSessionStage()
  const [first, twin] = [await stage.start({ endedAtOnce: 300 }), await stage.start({ endedAtOnce: 300 })]
  const old = Array.from({ length: 300 }, () => first.mint(asked, EVERYBODY))
  stage.clock.now += SESSION_LIFE_MS / 2
  const young = first.mint(asked, EVERYBODY)
  await Promise.all(old.map((id) => first.end(id, EVERYBODY)))
  const restarted = await stage.start({ endedAtOnce: 300 })
  for (const sessions of [first, twin, restarted]) {
    expect(() => sessions.mint(asked, EVERYBODY)).toThrow(
      expect.objectContaining({ code: RPC.overloaded, data: { retry_after_seconds: 60 } }),
    )
  }
  expect(await twin.end(young, EVERYBODY)).toBe(true)
  stage.clock.now += SESSION_LIFE_MS / 2 + 2_000
  for (const sessions of [first, twin, restarted]) {
    await sessions.load()
    expect(await sessions.enter(sessions.mint(asked, EVERYBODY), EVERYBODY)).toBeDefined()
    expect(await sessions.enter(young, EVERYBODY)).toBeUndefined()
  }
})

it('somebody who ends one session after the other keeps nobody else from beginning and ending theirs', async () => {
  await using stage = await startSessionStage()
  const sessions = await stage.start({ endedAtOnce: 300 })
  const [busy, other] = [toHolder('busy'), toHolder('other')]
  const open = (count: number, who: typeof busy) => Array.from({ length: count }, () => sessions.mint(asked, who))
  const ids = open(300, busy)
  const ends = await Promise.allSettled(ids.map((id) => sessions.end(id, busy)))
  expect(ends.map(({ status }) => status)).toEqual([...Array(75).fill('fulfilled'), ...Array(225).fill('rejected')])
  expect(ends.at(-1)).toMatchObject({ reason: { code: RPC.overloaded, data: { retry_after_seconds: 60 } } })
  // What it could not end it still has, and can begin another.
  for (const id of [ids.at(-1) ?? '', ...open(1, busy)]) expect(await sessions.enter(id, busy)).toBeDefined()
  expect(await Promise.all(open(75, other).map((id) => sessions.end(id, other)))).toEqual(Array(75).fill(true))
})

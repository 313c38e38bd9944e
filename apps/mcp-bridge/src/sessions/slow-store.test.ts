import { Fault } from '@iii/protocol'
import { expect, it } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { startSessionStage } from '../testing/session-stage.ts'
import { createSessionStore } from './store.ts'

const CLIENT = { revision: '2025-06-18', capabilities: {}, client: undefined } as const

it('a session whose key the store does not tell in time is not over: its client is to try again', async () => {
  await using stage = await startSessionStage()
  const [first, another] = [await stage.start(), await stage.start()]
  const [id, over] = [first.mint(CLIENT, EVERYBODY), first.mint(CLIENT, EVERYBODY)]
  await another.end(over, EVERYBODY)
  stage.engine.inject({ fault: 'delay-call', function: 'state::get', ms: 300, times: 2 })
  const late = await stage.start({ store: createSessionStore(stage.worker, 100) })
  await expect(late.enter(id, EVERYBODY)).rejects.toMatchObject({
    message: expect.stringContaining('Try again'),
    data: { retry_after_seconds: 1 },
  })
  await expect.poll(() => late.enter(id, EVERYBODY).catch(() => undefined), { timeout: 5_000 }).toBeDefined()
  // What had ended was read as well.
  expect(await late.enter(over, EVERYBODY)).toBeUndefined()
})

it('what was set in a session that the store does not tell in time is taken over when it does', async () => {
  await using stage = await startSessionStage()
  const first = await stage.start()
  const id = first.mint(CLIENT, EVERYBODY)
  await (await first.enter(id, EVERYBODY))?.state.subscribe('iii://a')
  await expect.poll(() => stage.rows('settings'), { timeout: 5_000 }).toHaveLength(1)
  const { store } = stage
  let asked = 0
  const row = (handle: string) => {
    asked += 1
    return asked === 1 ? Promise.reject(new Fault('deadline', 'state::get did not answer')) : store.row(handle)
  }
  const late = await stage.start({ store: { ...store, row } })
  const live = await late.enter(id, EVERYBODY)
  expect(live?.state.subscriptions.size).toBe(0)
  await expect.poll(() => [...(live?.state.subscriptions ?? [])], { timeout: 10_000 }).toEqual(['iii://a'])
})

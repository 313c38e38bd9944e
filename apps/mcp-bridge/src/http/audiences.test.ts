import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { createChanges } from '../changes/index.ts'
import type { LiveSession } from '../sessions/index.ts'
import { createAudiences } from './audiences.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('a session that begins to listen where others do is told of the first change after that', async () => {
  let text = 'one'
  const render = new Map([['resources', async () => text]])
  const mayHear = () => Promise.resolve(true)
  const changes = createChanges({ render, mayHear, refreshTools: () => Promise.resolve() })
  changes.watch({
    who: () => ({ principal: EVERYBODY, attached: false }),
    wants: () => true,
    isSubscribed: () => false,
    addresses: () => [],
    tell: () => undefined,
  })
  await changes.ready()

  const sent: string[] = []
  const line = {
    send: (message: string) => Promise.resolve(sent.push(message) > 0),
    comment: () => undefined,
    pause: () => Promise.resolve(true),
    end: () => Promise.resolve(true),
  }
  const live = { state: { subscriptions: new Set() }, onEnd: new Set() } as unknown as LiveSession
  createAudiences(changes.watch).add(live, { line, principal: EVERYBODY, isRead: () => true }, Promise.resolve(true))
  await vi.advanceTimersByTimeAsync(0)
  text = 'two'
  changes.skillChanged('a')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent).toEqual(['{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{}}'])
  changes.close()
})

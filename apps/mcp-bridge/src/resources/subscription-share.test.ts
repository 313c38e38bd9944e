import { describe, expect, it } from 'vitest'
import { createSettings } from '../sessions/settings.ts'
import { toHolder } from '../testing/principals.ts'
import { createSubscriptionShare } from './subscription-share.ts'

function setUp(limit: number) {
  const live = new Set<string>()
  const share = createSubscriptionShare({ limitOf: () => limit, isLive: (handle) => live.has(handle) })
  const open = (handle: string) => {
    live.add(handle)
    return createSettings(handle)
  }
  const subscribe = (uri: string, session: ReturnType<typeof open>, name = 'ci') => {
    share.requireRoom(uri, session, { principal: toHolder(name), attached: false })
    return session.subscribe(uri)
  }
  return { share, live, open, subscribe }
}

describe('what somebody hears of', () => {
  it('counts together in all its sessions and in what listens, and not with that of others', async () => {
    const { share, open, subscribe } = setUp(3)
    const [one, two] = [open('one'), open('two')]
    await subscribe('a://1', one)
    await subscribe('a://1', two)
    const giveBack = share.take(1, toHolder('ci'))
    expect(() => subscribe('a://2', one)).toThrow(/this caller may have 3 in all/)
    expect(() => share.take(1, toHolder('ci'))).toThrow(/3 in all/)
    await subscribe('a://1', one)
    await subscribe('a://2', open('three'), 'desk')
    giveBack()
    await subscribe('a://2', one)
  })

  it('counts no more once it is unsubscribed from, or its session is over', async () => {
    const { live, open, subscribe } = setUp(2)
    const [one, two] = [open('one'), open('two')]
    await subscribe('a://1', one)
    await subscribe('a://2', one)
    expect(() => subscribe('a://3', two)).toThrow(/Too many/)
    await one.unsubscribe('a://2')
    await subscribe('a://3', two)
    live.delete('one')
    await subscribe('a://4', two)
  })
})

import { describe, expect, it } from 'vitest'
import { createSettings } from '../sessions/settings.ts'
import { toHolder } from '../testing/principals.ts'
import { createSubscriptionShare } from './subscription-share.ts'

function setUp(limit: number) {
  const live = new Map<string, { readonly owner: string; readonly state: ReturnType<typeof createSettings> }>()
  const share = createSubscriptionShare({
    limitOf: () => limit,
    sessionsOf: ({ id }) => [...live.values()].flatMap(({ owner, state }) => (owner === id ? [state] : [])),
  })
  const open = (handle: string, name = 'ci') => {
    const state = createSettings(handle)
    live.set(handle, { owner: toHolder(name).id, state })
    return state
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
    await subscribe('a://2', open('three', 'desk'), 'desk')
    giveBack()
    await subscribe('a://2', one)
  })

  it('counts as soon as another bridge has handed a session over, before anything is subscribed to here', () => {
    const { share, open } = setUp(2)
    open('one').adopt({ logLevel: 'info', subscriptions: ['a://1', 'a://2'] })
    expect(() => share.take(1, toHolder('ci'))).toThrow(/2 in all/)
    share.take(2, toHolder('desk'))()
  })

  it('counts that of the client that started the process, which is in no list of sessions', async () => {
    const { share } = setUp(2)
    const own = createSettings('own')
    for (const uri of ['a://1', 'a://2']) {
      share.requireRoom(uri, own, { principal: toHolder('ci'), attached: true })
      await own.subscribe(uri)
    }
    expect(() => share.requireRoom('a://3', own, { principal: toHolder('ci'), attached: true })).toThrow(/2 in all/)
    expect(() => share.take(1, toHolder('ci'))).toThrow(/2 in all/)
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

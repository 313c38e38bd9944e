import { describe, expect, it } from 'vitest'
import { type Reach, UNREACHABLE } from '../mcp/call.ts'
import { createReach, toCall } from '../testing/invoker.ts'
import { untilAnswer } from '../testing/until.ts'
import type { Watcher } from './index.ts'
import { createSubscriptionsListen } from './subscriptions-listen.ts'

function setUp(atOnce?: number, isReadable: (uri: string) => Promise<boolean> = async () => true) {
  const watchers = new Set<Watcher>()
  const changes = {
    watch(watcher: Watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    ready: () => Promise.resolve(),
  }
  const listening = createSubscriptionsListen({
    changes,
    resources: { isReadable },
    follow: () => () => undefined,
    share: { take: () => () => undefined },
    ...(atOnce === undefined ? {} : { atOnce }),
  })
  return { listening, watchers }
}

describe('a subscription', () => {
  it('is over when its client leaves, and makes room for the next', async () => {
    const { listening, watchers } = setUp(1)
    const leaving = new AbortController()
    const open = listening.listen({ notifications: {} }, toCall({ signal: leaving.signal }))
    await expect(listening.listen({ notifications: {} }, toCall())).rejects.toMatchObject({ code: -32003 })
    leaving.abort()
    await open
    expect(watchers.size).toBe(0)
    const next = listening.listen({ notifications: {} }, toCall())
    await untilAnswer(
      () => watchers.size,
      (count) => count === 1,
    )
    listening.close()
    await next
  })

  it('is refused for a client that takes no stream, for which it does not help to try again', async () => {
    const { listening, watchers } = setUp()
    const refused = listening.listen({ notifications: {} }, toCall({ reach: UNREACHABLE }))
    await expect(refused).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/accept text\/event-stream$/),
    })
    const full = listening.listen({ notifications: {} }, toCall({ reach: { ...UNREACHABLE } }))
    await expect(full).rejects.toMatchObject({
      code: -32003,
      message: expect.stringMatching(/^No stream could be opened: .* or the engine .*; try again/),
    })
    expect(watchers.size).toBe(0)
  })

  it('to tasks is refused for a client that has not declared them, and left out for one that has', async () => {
    const { listening } = setUp()
    const extensions = { 'io.modelcontextprotocol/tasks': {} }
    const filter = { notifications: { taskIds: ['t'] } }
    const bare = { capabilities: {} }
    await expect(listening.listen(filter, toCall(bare))).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions } },
    })
    const none = { notifications: { taskIds: null } }
    await expect(listening.listen(none, toCall({ ...bare, reach: UNREACHABLE }))).rejects.toThrow('accept text')
    const reach = createReach()
    const open = listening.listen(filter, toCall({ capabilities: { extensions }, reach }))
    await untilAnswer(
      () => reach.heard.length,
      (count) => count === 1,
    )
    expect(reach.heard).toMatchObject([['notifications/subscriptions/acknowledged', { notifications: {} }]])
    listening.close()
    await open
  })

  it('keeps back what happens before it is acknowledged', async () => {
    const { listening, watchers } = setUp()
    const reach = createReach()
    const open = listening.listen({ notifications: { toolsListChanged: true } }, toCall({ id: 'a', reach }))
    await untilAnswer(
      () => watchers.size,
      (count) => count === 1,
    )
    for (const watcher of watchers) watcher.tell('notifications/tools/list_changed', {})
    await untilAnswer(
      () => reach.heard.length,
      (count) => count === 2,
    )
    expect(reach.heard.map(([method]) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
    ])
    listening.close()
    await open
  })

  it('keeps what a slow client has not taken once, however often it happens', async () => {
    const { listening, watchers } = setUp()
    const heard: string[] = []
    let take: () => void = () => undefined
    const notify: Reach['notify'] = (...[method]) => {
      heard.push(method.replace('notifications/', ''))
      if (heard.length === 1) return Promise.resolve(true)
      return new Promise<boolean>((resolve) => {
        take = () => resolve(true)
      })
    }
    const call = toCall({ reach: { ...createReach(), notify } })
    const open = listening.listen({ notifications: { toolsListChanged: true } }, call)
    await untilAnswer(
      () => heard.length,
      (count) => count === 1,
    )
    const [watcher] = watchers
    for (let i = 0; i < 100; i += 1) watcher?.tell('notifications/tools/list_changed', {})
    watcher?.tell('notifications/resources/updated', { uri: 'a' })
    for (let expected = 2; expected <= 4; expected += 1) {
      await untilAnswer(
        () => heard.length,
        (count) => count === expected,
      )
      take()
    }
    expect(heard.slice(1)).toEqual(['tools/list_changed', 'tools/list_changed', 'resources/updated'])
    listening.close()
    await open
  })
})

describe('the addresses of a subscription', () => {
  const uris = Array.from({ length: 256 }, (_, n) => `iii://a/${n}`)
  const notifications = { resourceSubscriptions: uris }
  const toTold = (reach: ReturnType<typeof createReach>) => reach.heard.map(([, params]) => params)

  it('are looked at side by side, some at once, and acknowledged in the order in which they came', async () => {
    let [running, most] = [0, 0]
    const { listening } = setUp(undefined, async (uri) => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return !uri.endsWith('7')
    })
    const reach = createReach()
    const open = listening.listen({ notifications }, toCall({ reach }))
    await untilAnswer(
      () => reach.heard.length,
      (count) => count === 1,
    )
    const resourceSubscriptions = uris.filter((uri) => !uri.endsWith('7'))
    expect(toTold(reach)).toMatchObject([{ notifications: { resourceSubscriptions } }])
    expect(most).toBe(64)
    listening.close()
    await open
  })

  it('are left out where they are not known within the time of a plain reply', async () => {
    const { listening } = setUp(undefined, (uri) =>
      uri === uris[0] ? Promise.resolve(true) : new Promise(() => undefined),
    )
    const reach = createReach()
    const limits = { ...toCall().limits, plainMs: 20 }
    const open = listening.listen({ notifications }, toCall({ reach, limits }))
    await untilAnswer(
      () => reach.heard.length,
      (count) => count === 1,
    )
    expect(toTold(reach)).toMatchObject([{ notifications: { resourceSubscriptions: [uris[0]] } }])
    listening.close()
    await open
  })

  it('are looked at no further for a client that has left, and nothing is watched for it', async () => {
    let count = 0
    const leaving = new AbortController()
    const { listening, watchers } = setUp(undefined, async () => {
      count += 1
      leaving.abort()
      return true
    })
    await expect(listening.listen({ notifications }, toCall({ signal: leaving.signal }))).rejects.toThrow('has left')
    expect([count, watchers.size]).toEqual([64, 0])
  })

  it('are acknowledged as they are usually written, however many spellings of one there are', async () => {
    const { listening } = setUp()
    const reach = createReach()
    const filled = 'iii://functions/orders%3A%3Acreate'
    const odd = ['iii://functions/%6frders::create', 'iii://functions/orders:%3Acreate']
    const resourceSubscriptions = ['iii://functions/orders::create', ...odd, filled]
    const open = listening.listen({ notifications: { resourceSubscriptions } }, toCall({ reach }))
    await untilAnswer(
      () => reach.heard.length,
      (count) => count === 1,
    )
    const told = ['iii://functions/orders::create', filled]
    expect(toTold(reach)).toMatchObject([{ notifications: { resourceSubscriptions: told } }])
    listening.close()
    await open
  })
})

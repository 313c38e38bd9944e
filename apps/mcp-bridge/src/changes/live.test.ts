import { startMockEngine } from '@iii/mock-engine'
import { agentSkillsFunctions, Fault, MCP_CHANGED, PROMPTS_ON_CHANGE, SKILLS_ON_CHANGE } from '@iii/protocol'
import { createChangeFeed, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startBridge, stateless, type TestBridge } from '../testing/bridge.ts'
import { type EventReader, openEvents, postInit } from '../testing/events.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'
import { untilAnswer } from '../testing/until.ts'

const ALL = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

/** Opens a subscription; its acknowledgement has come when this resolves. */
async function listen(bridge: TestBridge, notifications: object, id: unknown = 'sub-1') {
  const { meta, headers } = stateless('subscriptions/listen')
  const message = { jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications, _meta: meta } }
  const events = await openEvents(bridge.url, postInit(message, headers))
  const acknowledged = await events.nextMessage()
  return { events, acknowledged }
}

/** The next notification, as method and address. */
async function heard(events: EventReader): Promise<string> {
  const message = (await events.nextMessage()) as { method: string; params: { uri?: string } } | undefined
  return [message?.method.replace('notifications/', ''), message?.params.uri].filter(Boolean).join(' ')
}

const announce = (bridge: TestBridge, payload: unknown) =>
  bridge.other.trigger({ function_id: MCP_CHANGED, payload, timeoutMs: 2_000 })

describe('subscriptions/listen', () => {
  it('acknowledges first what it will tell, and names the subscription in all it tells', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    const asked = {
      toolsListChanged: true,
      promptsListChanged: false,
      resourceSubscriptions: ['iii://orders', 'nonsense'],
    }
    const { events, acknowledged } = await listen(bridge, asked, 7)
    const tag = { 'io.modelcontextprotocol/subscriptionId': 7 }
    expect(acknowledged).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['iii://orders'] }, _meta: tag },
    })
    bridge.other.registerFunction('orders::new', () => 1)
    expect(await events.nextMessage()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: tag },
    })
    expect(await bridge.toolNames()).toEqual(['orders__new'])
    events.leave()
  })

  it('tells only what was asked for', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    const narrow = await listen(bridge, { promptsListChanged: true })
    const wide = await listen(bridge, ALL)
    bridge.other.registerFunction('orders::new', () => 1)
    expect(await heard(wide.events)).toBe('tools/list_changed')
    await announce(bridge, { kind: 'prompts' })
    expect(await heard(narrow.events)).toBe('prompts/list_changed')
    for (const { events } of [narrow, wide]) events.leave()
  })

  it('ends with a result when the bridge stops', async () => {
    await using engine = await startMockEngine()
    const bridge = await startBridge(engine)
    const { events } = await listen(bridge, {}, 'x')
    await bridge[Symbol.asyncDispose]()
    const [last] = (await events.rest()).flatMap(({ message }) => message ?? [])
    expect(last).toMatchObject({
      id: 'x',
      result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 'x' } },
    })
  })

  it('says what it takes', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { meta, headers } = stateless('subscriptions/listen')
    const ask = async (params: object, more: Record<string, string> = {}) => {
      const { message } = await bridge.rpc('subscriptions/listen', { ...params, _meta: meta }, { ...headers, ...more })
      return [message.error?.code, message.error?.message]
    }
    expect(await ask({})).toEqual([-32602, expect.stringMatching(/needs an object 'notifications'/)])
    expect(await ask({ notifications: { toolsListChanged: 1 } })).toEqual([-32602, expect.stringMatching(/boolean/)])
    const uris = Array.from({ length: 257 }, (_, index) => `iii://a/${index}`)
    expect(await ask({ notifications: { resourceSubscriptions: uris } })).toEqual([
      -32602,
      expect.stringMatching(/257/),
    ])
    expect(await ask({ notifications: { resourceSubscriptions: [1] } })).toEqual([-32602, expect.any(String)])
    const plain = await ask({ notifications: {} }, { accept: 'application/json' })
    expect(plain).toEqual([-32000, expect.stringMatching(/text\/event-stream/)])
    expect((await bridge.rpc('subscriptions/listen', { notifications: {} })).message.error?.code).toBe(-32601)
  })
})

describe('changes of the registry', () => {
  it.each(['where it tells no digest of its skills', 'where the bridge may not ask for one'])(
    'reach clients as far as what they see has changed, %s',
    async (which) => {
      await using engine = await startMockEngine()
      await using bridge = await startBridge(engine)
      if (which.includes('may not'))
        bridge.other.registerFunction(agentSkillsFunctions.digest.id, () => {
          throw new Fault('forbidden', 'not allowed (add to rbac.expose_functions)')
        })
      // The subscription is older than the registry: its bindings wait for the trigger types.
      const { events } = await listen(bridge, {
        resourcesListChanged: true,
        resourceSubscriptions: ['iii://orders', 'iii://skills'],
      })
      await using registry = await startSkillsWorker(engine.url)
      const feed = createChangeFeed(registry.worker, { id: SKILLS_ON_CHANGE, description: '' })
      const fire = (id: string, changed: boolean) => feed.announce({ op: 'register', id, changed })
      // It came, with lists of its own.
      expect([await heard(events), await heard(events)].sort()).toEqual([
        'resources/list_changed',
        'resources/updated iii://skills',
      ])
      await untilAnswer(
        () => feed.subscriberCount,
        (count) => count > 0,
      )
      fire('orders', false)
      registry.skills.set('returns', '# Returns')
      fire('returns', true)
      expect([await heard(events), await heard(events)].sort()).toEqual([
        'resources/list_changed',
        'resources/updated iii://skills',
      ])
      fire('orders', true)
      expect(await heard(events)).toBe('resources/updated iii://orders')
      events.leave()
    },
  )

  it('reach them also when prompts change, come and go', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    await using registry = await startSkillsWorker(engine.url)
    const feed = createChangeFeed(registry.worker, { id: PROMPTS_ON_CHANGE, description: '' })
    const { events } = await listen(bridge, { promptsListChanged: true })
    await untilAnswer(
      () => feed.subscriberCount,
      (count) => count > 0,
    )
    const handler = registerWorker(engine.url, { name: 'greeter', log: bridge.worker.log })
    const hidden = { metadata: { mcp: { expose: false } } }
    handler.registerFunction('greet::say', () => 'hi')
    handler.registerFunction('greet::quiet', () => 'hi', hidden)
    await handler.ready()
    registry.prompts.set('quiet', 'greet::quiet')
    feed.announce({ op: 'register', name: 'quiet', changed: true })
    registry.prompts.set('greet', 'greet::say')
    feed.announce({ op: 'register', name: 'greet', changed: true })
    expect(await heard(events)).toBe('prompts/list_changed')
    bridge.set({ hiddenPrefixes: ['greet::'] })
    expect(await heard(events)).toBe('prompts/list_changed')
    await handler.shutdown()
    events.leave()
  })
})

describe('announcements', () => {
  it('reach the clients of every bridge on the engine', async () => {
    await using engine = await startMockEngine()
    await using first = await startBridge(engine, { options: { apiPath: '/first' } })
    await using second = await startBridge(engine, { options: { apiPath: '/second' } })
    const subscriptions = { ...ALL, resourceSubscriptions: ['iii://orders'] }
    const all = await Promise.all([listen(first, subscriptions), listen(second, subscriptions)])
    for (const change of [{ kind: 'resources' }, { kind: 'tools' }, { kind: 'resource', uri: 'iii://orders' }]) {
      expect(await announce(first, change)).toEqual({})
      const expected = 'uri' in change ? `resources/updated ${change.uri}` : `${change.kind}/list_changed`
      for (const { events } of all) expect(await heard(events)).toBe(expected)
    }
    for (const { events } of all) events.leave()
  })

  it('work without engine state, and take nothing else', async () => {
    await using engine = await startMockEngine({
      faults: [{ fault: 'fail-call', function: 'state::*', code: 'function_not_found' }],
    })
    await using bridge = await startBridge(engine)
    const { events } = await listen(bridge, ALL)
    await announce(bridge, { kind: 'prompts' })
    expect(await heard(events)).toBe('prompts/list_changed')
    for (const wrong of [{ kind: 'resource' }, { kind: 'x' }, null]) {
      await expect(announce(bridge, wrong)).rejects.toThrow(/invalid/i)
    }
    events.leave()
  })

  it('are told once, however many there are', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { events } = await listen(bridge, ALL)
    await Promise.all(Array.from({ length: 200 }, () => announce(bridge, { kind: 'prompts' })))
    await announce(bridge, { kind: 'resources' })
    const messages = [await heard(events), await heard(events)]
    expect(messages).toEqual(['prompts/list_changed', 'resources/list_changed'])
    events.leave()
  })
})

describe('what needs a session', () => {
  it('says so without one', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    for (const method of ['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel']) {
      const { message } = await bridge.rpc(method, { uri: 'iii://orders', level: 'info' })
      expect(message.error).toMatchObject({
        code: -32600,
        message: expect.stringMatching(/initialize first, and over HTTP the Mcp-Session-Id/),
      })
      const { meta, headers } = stateless(method)
      const modern = await bridge.rpc(method, { uri: 'iii://orders', level: 'info', _meta: meta }, headers)
      expect([modern.status, modern.message.error?.code]).toEqual([404, -32601])
    }
  })
})

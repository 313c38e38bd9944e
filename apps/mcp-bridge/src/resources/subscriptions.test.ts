import { startMockEngine } from '@iii/mock-engine'
import { MCP_CHANGED, SKILLS_ON_CHANGE } from '@iii/protocol'
import { createChangeFeed } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startBridge, type TestBridge } from '../testing/bridge.ts'
import { type EventReader, openEvents } from '../testing/events.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'
import { untilAnswer } from '../testing/until.ts'

type Session = Record<string, string>

async function open(bridge: TestBridge): Promise<Session> {
  const { headers } = await bridge.rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {} })
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
}

const listen = (bridge: TestBridge, session: Session) =>
  openEvents(bridge.url, { headers: { accept: 'text/event-stream', ...session } })

async function heard(events: EventReader): Promise<string> {
  const message = (await events.nextMessage()) as { method: string; params: { uri?: string } } | undefined
  return [message?.method.replace('notifications/', ''), message?.params.uri].filter(Boolean).join(' ')
}

const announce = (bridge: TestBridge, payload: unknown) =>
  bridge.other.trigger({ function_id: MCP_CHANGED, payload, timeoutMs: 2_000 })

describe('a session', () => {
  it('hears of lists, and of the resources that it has subscribed to', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const session = await open(bridge)
    const events = await listen(bridge, session)
    const set = async (method: string) => {
      const { message } = await bridge.rpc(method, { uri: 'iii://orders' }, session)
      expect(message.result).toEqual({})
    }
    await announce(bridge, { kind: 'resource', uri: 'iii://orders' })
    await set('resources/subscribe')
    await announce(bridge, { kind: 'resource', uri: 'iii://orders' })
    expect(await heard(events)).toBe('resources/updated iii://orders')
    await set('resources/unsubscribe')
    await announce(bridge, { kind: 'resource', uri: 'iii://orders' })
    await announce(bridge, { kind: 'tools' })
    expect(await heard(events)).toBe('tools/list_changed')
    events.leave()
  })

  it('subscribes to nothing that it could not read', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine, { options: { hiddenPrefixes: ['secret::'] } })
    bridge.other.registerFunction('secret::page', () => 'x')
    bridge.other.registerFunction('open::page', () => 'x')
    await bridge.other.ready()
    const session = await open(bridge)
    const code = async (uri: unknown) => (await bridge.rpc('resources/subscribe', { uri }, session)).message.error?.code
    expect(await code('iii://fn/open/page')).toBeUndefined()
    expect(await code('iii://fn/secret/page')).toBe(-32602)
    expect(await code('iii://fn/state/get')).toBe(-32602)
    expect(await code('iii://fn/no/body')).toBe(-32002)
    expect(await code('iii://')).toBe(-32602)
    expect(await code(5)).toBe(-32602)
  })

  it('sets how much of the log it hears', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const session = await open(bridge)
    expect((await bridge.rpc('logging/setLevel', { level: 'warning' }, session)).message.result).toEqual({})
    expect((await bridge.rpc('logging/setLevel', { level: 'loud' }, session)).message.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/debug, info/),
    })
  })

  it('hears on a twin what it has subscribed to here', async () => {
    await using engine = await startMockEngine()
    await using first = await startBridge(engine, { options: { apiPath: '/first' } })
    await using second = await startBridge(engine, { options: { apiPath: '/second' } })
    const session = await open(first)
    const events = await listen(second, session)
    await first.rpc('resources/subscribe', { uri: 'iii://orders' }, session)
    // Two ways on the engine: what the session sets and what is announced overtake each other.
    const again = setInterval(() => void announce(first, { kind: 'resource', uri: 'iii://orders' }), 100)
    expect(await heard(events)).toBe('resources/updated iii://orders')
    clearInterval(again)
    events.leave()
  })
})

describe('what tells of changes', () => {
  it('goes on after a restart of the registry and of the engine', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const feedOf = async (registry: { worker: Parameters<typeof createChangeFeed>[0] }) => {
      const feed = createChangeFeed(registry.worker, { id: SKILLS_ON_CHANGE, description: '' })
      await untilAnswer(
        () => feed.subscriberCount,
        (count) => count > 0,
      )
      return feed
    }
    const change = { op: 'register', id: 'orders', changed: true }
    const watched = { hear: async (): Promise<string> => '' }
    const watch = async () => {
      const session = await open(bridge)
      await bridge.rpc('resources/subscribe', { uri: 'iii://orders' }, session)
      const events = await listen(bridge, session)
      watched.hear = async () => {
        for (;;) {
          const message = await heard(events)
          if (message.startsWith('resources/updated') || message === '') return message
        }
      }
    }
    await watch()
    {
      await using registry = await startSkillsWorker(engine.url)
      ;(await feedOf(registry)).announce(change)
      expect(await watched.hear()).toBe('resources/updated iii://orders')
    }
    await using registry = await startSkillsWorker(engine.url)
    const feed = await feedOf(registry)
    feed.announce(change)
    expect(await watched.hear()).toBe('resources/updated iii://orders')
    await engine.restart()
    await untilAnswer(
      () =>
        bridge.rpc('ping').then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status === 200,
    )
    await watch()
    await untilAnswer(
      () => feed.subscriberCount,
      (count) => count > 0,
    )
    const again = setInterval(() => feed.announce(change), 100)
    expect(await watched.hear()).toBe('resources/updated iii://orders')
    clearInterval(again)
  })
})

import { startMockEngine } from '@iii/mock-engine'
import { MCP_CHANGED, PROMPTS_ON_CHANGE, SKILLS_ON_CHANGE } from '@iii/protocol'
import { createChangeFeed } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { startBridge, stateless, type TestBridge } from '../testing/bridge.ts'
import { type EventReader, openEvents, postInit } from '../testing/events.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'
import { untilAnswer } from '../testing/until.ts'

const [OPS, STAFF] = [createToken(), createToken()]
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const toAuth = (staff: object) =>
  AuthBlock.parse({
    tokens: [
      { name: 'ops', hash: [toDigest(OPS)], grant: 'ops' },
      { name: 'staff', hash: [toDigest(STAFF)], grant: 'staff' },
    ],
    grants: { ops: {}, staff },
  })
const STAFF_GRANT = { tiers: ['user'], skills: ['orders'] }
const USER = { metadata: { mcp: { tier: 'user' } } }
const OPS_ONLY = { metadata: { mcp: { tier: 'ops' } } }

async function startStage() {
  const engine = await startMockEngine({ functionsPollMs: 50 })
  const bridge = await startBridge(engine, { options: { auth: toAuth(STAFF_GRANT) } })
  const registry = await startSkillsWorker(engine.url)
  const feed = createChangeFeed(registry.worker, { id: SKILLS_ON_CHANGE, description: '' })
  const promptFeed = createChangeFeed(registry.worker, { id: PROMPTS_ON_CHANGE, description: '' })
  await untilAnswer(
    () => Math.min(feed.subscriberCount, promptFeed.subscriberCount),
    (count) => count > 0,
  )
  // Whoever begins to watch before would be told of this tool as of a change.
  await untilAnswer(
    async () => (await bridge.rpc('tools/list', {}, as(OPS))).text,
    (list) => list.includes('skill__fetch'),
  )
  return {
    engine,
    bridge,
    registry,
    fire: (id: string) => feed.announce({ op: 'register', id, changed: true }),
    /** Registers a prompt. */
    offer(name: string, functionId: string) {
      registry.prompts.set(name, functionId)
      promptFeed.announce({ op: 'register', name, changed: true })
    },
    announce: (uri: string) =>
      bridge.other.trigger({ function_id: MCP_CHANGED, payload: { kind: 'resource', uri }, timeoutMs: 2_000 }),
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]()
      await bridge[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}

/** Registers a tool that not everybody may have; it is listed when this resolves. */
async function offerPayroll(bridge: TestBridge) {
  bridge.other.registerFunction('payroll::run', () => 1, OPS_ONLY)
  await untilAnswer(
    () => bridge.rpc('tools/list', {}, as(OPS)),
    ({ text }) => text.includes('payroll'),
  )
}

/** Opens a subscription of 2026-07-28; it has been acknowledged when this resolves. */
async function listen(bridge: TestBridge, token: string, notifications: object) {
  const { meta, headers } = stateless('subscriptions/listen')
  const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications, _meta: meta } }
  const events = await openEvents(bridge.url, postInit(message, { ...headers, ...as(token) }))
  await events.nextMessage()
  return events
}

/** Opens the stream of a session that has subscribed to addresses. */
async function openSession(bridge: TestBridge, token: string, uris: readonly string[]) {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const { headers } = await bridge.rpc('initialize', params, as(token))
  const own = { ...as(token), 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
  const answers = []
  for (const uri of uris) answers.push((await bridge.rpc('resources/subscribe', { uri }, own)).message)
  const events = await openEvents(bridge.url, { headers: { ...own, accept: 'text/event-stream' } })
  return { events, answers }
}

/** The next notifications, as methods and addresses, sorted. */
async function hear(events: EventReader, count: number): Promise<string[]> {
  const heard: string[] = []
  while (heard.length < count) {
    const message = (await events.nextMessage()) as { method: string; params?: { uri?: string } } | undefined
    heard.push([message?.method.replace('notifications/', ''), message?.params?.uri].filter(Boolean).join(' '))
  }
  return heard.sort()
}

describe('whoever is held to a grant', () => {
  it('is never told of a skill that it does not name, though both eras take the address', async () => {
    await using stage = await startStage()
    const { bridge, registry, fire, announce } = stage
    const uris = ['iii://orders', 'iii://payroll', 'skill://payroll/SKILL.md', 'skill://orders/SKILL.md']
    const session = await openSession(bridge, STAFF, uris)
    expect(session.answers.map(({ result }) => result)).toEqual(uris.map(() => ({})))
    const listening = await listen(bridge, STAFF, { resourceSubscriptions: uris })
    const whole = await listen(bridge, OPS, { resourceSubscriptions: uris })
    registry.skills.set('payroll', '# Payroll')
    fire('payroll')
    await announce('iii://payroll')
    expect(await hear(whole, 2)).toEqual([
      'resources/updated iii://payroll',
      'resources/updated skill://payroll/SKILL.md',
    ])
    fire('orders')
    const own = ['resources/updated iii://orders', 'resources/updated skill://orders/SKILL.md']
    expect(await hear(listening, 2)).toEqual(own)
    expect(await hear(session.events, 2)).toEqual(own)
    for (const events of [listening, whole, session.events]) events.leave()
  })

  it('is told of what its grant names now, whatever it named when the subscription began', async () => {
    await using stage = await startStage()
    const { bridge, fire } = stage
    const events = await listen(bridge, STAFF, { resourceSubscriptions: ['iii://orders', 'iii://returns'] })
    bridge.set({ auth: toAuth({ ...STAFF_GRANT, skills: ['returns'] }) })
    fire('orders')
    fire('returns')
    expect(await hear(events, 1)).toEqual(['resources/updated iii://returns'])
    bridge.set({ auth: toAuth(STAFF_GRANT) })
    fire('returns')
    fire('orders')
    expect(await hear(events, 1)).toEqual(['resources/updated iii://orders'])
    events.leave()
  })

  it('hears that a list has changed only when its own has', async () => {
    await using stage = await startStage()
    const { bridge, registry, fire, offer } = stage
    const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
    const [staff, ops] = [await listen(bridge, STAFF, all), await listen(bridge, OPS, all)]
    const session = await openSession(bridge, STAFF, [])
    bridge.other.registerFunction('payroll::run', () => 1, OPS_ONLY)
    expect(await hear(ops, 1)).toEqual(['tools/list_changed'])
    registry.skills.set('payroll', '# Payroll')
    fire('payroll')
    expect(await hear(ops, 1)).toEqual(['resources/list_changed'])
    offer('pay', 'payroll::run')
    expect(await hear(ops, 1)).toEqual(['prompts/list_changed'])
    bridge.other.registerFunction('orders::find', () => 1, USER)
    for (const events of [staff, ops, session.events]) expect(await hear(events, 1)).toEqual(['tools/list_changed'])
    offer('find', 'orders::find')
    for (const events of [staff, ops, session.events]) expect(await hear(events, 1)).toEqual(['prompts/list_changed'])
    for (const events of [staff, ops, session.events]) events.leave()
  })

  it('hears that its lists have changed when its grant has', async () => {
    await using stage = await startStage()
    const { bridge } = stage
    await offerPayroll(bridge)
    const staff = await listen(bridge, STAFF, { toolsListChanged: true, resourcesListChanged: true })
    const ops = await listen(bridge, OPS, { toolsListChanged: true, resourcesListChanged: true })
    bridge.set({ auth: toAuth({ tiers: ['user', 'ops'], skills: [] }) })
    expect(await hear(staff, 2)).toEqual(['resources/list_changed', 'tools/list_changed'])
    bridge.other.registerFunction('orders::find', () => 1, USER)
    expect(await hear(ops, 1)).toEqual(['tools/list_changed'])
    for (const events of [staff, ops]) events.leave()
  })

  it('hears that its list of tools is that of all where nobody is asked any more, and that it is its own again', async () => {
    await using stage = await startStage()
    const { bridge } = stage
    await offerPayroll(bridge)
    const staff = await listen(bridge, STAFF, { toolsListChanged: true })
    for (const auth of [AuthBlock.parse({ mode: 'off' }), toAuth(STAFF_GRANT)]) {
      bridge.set({ auth })
      expect(await hear(staff, 1)).toEqual(['tools/list_changed'])
    }
    staff.leave()
  })

  it('hears of a section and a resource of functions as long as it may use one of them, and when that goes', async () => {
    await using stage = await startStage()
    const { bridge } = stage
    const declares = (tier: string) => ({ metadata: { mcp: { tier, resource: { uri: 'db://x', name: 'x' } } } })
    const shown = bridge.other.registerFunction('notes::read', () => '', declares('user'))
    const hidden = bridge.other.registerFunction('notes::all', () => '', OPS_ONLY)
    await untilAnswer(
      () => bridge.rpc('tools/list', {}, as(OPS)),
      ({ text }) => text.includes('notes__read') && text.includes('notes__all'),
    )
    const uris = ['iii://fn/notes/read', 'iii://fn/notes/all', 'db://x']
    const ops = await listen(bridge, OPS, { resourceSubscriptions: uris })
    const staff = await openSession(bridge, STAFF, uris)
    expect(staff.answers.map(({ error }) => error?.code)).toEqual([undefined, -32002, undefined])
    hidden.unregister()
    expect(await hear(ops, 1)).toEqual(['resources/updated iii://fn/notes/all'])
    shown.unregister()
    const told = ['resources/updated db://x', 'resources/updated iii://fn/notes/read']
    expect(await hear(ops, 2)).toEqual(told)
    expect(await hear(staff.events, 2)).toEqual(told)
    for (const events of [ops, staff.events]) events.leave()
  })
})

import { createSharedState, type MockEngine, startMockEngine } from '@iii/mock-engine'
import { toFault } from '@iii/protocol'
import { createLog, publish, registerWorker, type Worker } from '@iii/sdk'
import { describe, expect, it, vi } from 'vitest'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'
import { createWorkerLeases } from './leases.ts'

const log = createLog({ name: 'test', level: 'silent' })
const LEASE_MS = 600

const SKILL = '---\nname: orders\ndescription: Orders.\n---\n'
const CONTENT = {
  skills: [{ id: 'orders', skill: SKILL, files: [{ path: 'a.txt', text: 'a' }] }],
  prompts: [{ name: 'refund', description: 'Refund', function_id: 'orders::refund' }],
}

/** A worker that publishes with a lease. */
async function startOrders({ url }: Pick<MockEngine, 'url'>, lease = true): Promise<Worker> {
  const worker = registerWorker(url, { name: 'orders', log })
  worker.registerFunction('orders::refund', () => 'Refund it.')
  await worker.ready({ timeoutMs: 5000 })
  expect((await publish(worker, { ...CONTENT, lease }).settled).failed).toEqual([])
  return worker
}

interface Lists {
  skills?: { id: string }[]
  prompts?: { name: string }[]
  resources?: { uri: string }[]
}

/** What all lists of a registry have. */
async function listed({ call }: TestRegistry): Promise<string[]> {
  const ids = ['skills::list', 'prompts::list', 'prompts::mcp-list', 'skills::resources-list', 'skills::mcp-list']
  const lists = await Promise.all(ids.map((id) => call<Lists>(id)))
  const found = lists.flatMap(({ skills = [], prompts = [], resources = [] }) => [...skills, ...prompts, ...resources])
  const index = await call<{ contents: { text: string }[] }>('skills::resources-read', { uri: 'iii://skills' })
  const { text: brief } = await call<{ text: string }>('skills::mcp-brief')
  const directory = await call<string>('skill::fetch', { uri: 'skill://' })
  return [
    ...found
      .filter((row) => !('away' in row))
      .map((row) => String('name' in row ? row.name : 'id' in row ? row.id : row.uri)),
    ...(index.contents[0]?.text.includes('iii://orders') ? ['in the index'] : []),
    ...(brief.includes('iii://orders') ? ['in the instructions'] : []),
    ...(directory.includes('skill://orders/SKILL.md') ? ['under skill://'] : []),
  ].filter((name) => name !== 'skills')
}

const AWAY = {
  code: 'unavailable',
  message: expect.stringMatching(/is away with its worker 'orders', and is back when that is$/),
}

async function expectAway({ fault }: TestRegistry): Promise<void> {
  for (const uri of ['iii://orders', 'skill://orders/SKILL.md', 'skill://orders/a.txt']) {
    expect(await fault('skills::resources-read', { uri })).toMatchObject(AWAY)
  }
  expect(await fault('skills::mcp-get', { uri: 'skill://orders/SKILL.md' })).toMatchObject(AWAY)
  expect(await fault('skills::mcp-directory', { uri: 'skill://orders' })).toMatchObject(AWAY)
  expect(await fault('skills::lint', { id: 'orders' })).toMatchObject(AWAY)
  expect(await fault('prompts::mcp-get', { name: 'refund' })).toMatchObject(AWAY)
  expect(await fault('skills::mcp-get', { uri: 'skill://orders/SKILL.md', prefixes: ['x'] })).toMatchObject({
    code: 'not_found',
  })
}

const gone = (registry: TestRegistry) =>
  vi.waitFor(async () => expect(await listed(registry)).toEqual([]), { timeout: 5000, interval: 50 })
const back = (registry: TestRegistry) =>
  vi.waitFor(async () => expect(await listed(registry)).toHaveLength(8), { timeout: 5000, interval: 50 })

describe('what is published with a lease', () => {
  it('is refused while the engine does not say whose lease it would be', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await using worker = registerWorker(engine.url, { name: 'orders', log })
    await worker.ready({ timeoutMs: 5000 })
    const register = (more: object) =>
      worker.trigger({ function_id: 'skills::register', payload: { id: 'orders', skill: SKILL, ...more } })
    const refused = {
      code: 'unavailable',
      message: 'The skill orders cannot have a lease: the engine does not say which worker registers it',
    }
    const broken = engine.inject({ fault: 'fail-call', function: 'engine::workers::list', message: 'not now' })
    expect(await register({ lease: true }).catch(toFault)).toMatchObject(refused)
    expect(await registry.call('skills::list')).toEqual({ skills: [] })
    await register({})
    broken()
    await register({ lease: true })
    const ofNobody = { id: 'orders', skill: SKILL, lease: true }
    expect(await engine.call('skills::register', ofNobody).catch(toFault)).toMatchObject(refused)
  })

  it('is away when its worker is, and back with it, and subscribers are told of both', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { leaseMs: LEASE_MS })
    const told: string[] = []
    registry.client.registerFunction('client::told', (event: { op: string; id?: string; name?: string }) => {
      told.push(`${event.op} ${event.id ?? event.name}`)
    })
    for (const type of ['skills::on-change', 'prompts::on-change']) {
      registry.client.registerTrigger({ type, function_id: 'client::told', config: {} })
    }
    await registry.client.ready()
    const orders = await startOrders(engine)
    await back(registry)
    told.length = 0
    await orders.shutdown()
    expect(await listed(registry)).toHaveLength(8)
    await gone(registry)
    await expectAway(registry)
    expect(await registry.call('skills::list')).toMatchObject({ skills: [{ id: 'orders', away: 'orders' }] })
    expect(await registry.call('prompts::list')).toMatchObject({ prompts: [{ name: 'refund', away: 'orders' }] })
    await vi.waitFor(() => expect(told.sort()).toEqual(['unregister orders', 'unregister refund']))
    told.length = 0
    // That it is there is enough: it need not publish again.
    await using again = registerWorker(engine.url, { name: 'orders', log })
    await again.ready({ timeoutMs: 5000 })
    await back(registry)
    await vi.waitFor(() => expect(told.sort()).toEqual(['register orders', 'register refund']))
    expect(await registry.call('skills::resources-read', { uri: 'iii://orders' })).toMatchObject({
      contents: [{ text: SKILL }],
    })
  })

  it('stays when its worker is back within the time, and nobody is told', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url, { leaseMs: 2 * LEASE_MS })
    const told: unknown[] = []
    const orders = await startOrders(engine)
    await back(registry)
    registry.client.registerFunction('client::told', (event: unknown) => void told.push(event))
    registry.client.registerTrigger({ type: 'skills::on-change', function_id: 'client::told', config: {} })
    await orders.shutdown()
    await using again = registerWorker(engine.url, { name: 'orders', log })
    await again.ready({ timeoutMs: 5000 })
    const until = Date.now() + 4 * LEASE_MS
    while (Date.now() < until) expect(await listed(registry)).toHaveLength(8)
    expect(told).toEqual([])
  })

  it('stays without one, and when somebody registers it anew without', async () => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    await using registry = await startRegistry(engine.url, { leaseMs: LEASE_MS })
    await (await startOrders(engine, false)).shutdown()
    expect(sharedState.scopes().filter((scope) => scope.includes('leases'))).toEqual([])
    await (await startOrders(engine)).shutdown()
    await gone(registry)
    await registry.call('skills::register', CONTENT.skills[0])
    await registry.call('prompts::register', CONTENT.prompts[0])
    await back(registry)
    await vi.waitFor(async () => expect(await engine.call('state::list', { scope: 'skills::leases' })).toEqual([]))
  })

  it('is as it was for a registry that begins anew', async () => {
    await using engine = await startMockEngine()
    const orders = await startOrdersBehind(engine)
    {
      await using second = await startRegistry(engine.url, { leaseMs: LEASE_MS })
      await back(second)
      await orders.shutdown()
      await gone(second)
    }
    await using third = await startRegistry(engine.url, { leaseMs: LEASE_MS })
    expect(await listed(third)).toEqual([])
    await expectAway(third)
  })

  it('is there on every engine that shares the store, for as long as its worker is on one', async () => {
    const sharedState = createSharedState()
    await using one = await startMockEngine({ sharedState })
    await using other = await startMockEngine({ sharedState })
    await using here = await startRegistry(one.url, { leaseMs: LEASE_MS })
    await using there = await startRegistry(other.url, { leaseMs: LEASE_MS })
    const orders = await startOrders(one)
    await back(there)
    const until = Date.now() + 3 * LEASE_MS
    while (Date.now() < until) expect(await listed(there)).toHaveLength(8)
    await orders.shutdown()
    await Promise.all([gone(here), gone(there)])
    await using _moved = await startOrders(other)
    await Promise.all([back(here), back(there)])
  })

  it('outlives the time that nobody could be there, because the engine was not', async () => {
    const sharedState = createSharedState()
    const engine = await startMockEngine({ sharedState })
    await using registry = await startRegistry(engine.url, { leaseMs: LEASE_MS })
    await using _orders = await startOrders(engine)
    await back(registry)
    const { port } = new URL(engine.url)
    await engine.close()
    await new Promise((resolve) => setTimeout(resolve, 2 * LEASE_MS))
    await using _again = await startMockEngine({ sharedState, port: Number(port) })
    await vi.waitFor(async () => expect(await listed(registry).catch(toFault)).toHaveLength(8), { timeout: 15_000 })
  })
})

/** Published to a registry that is gone again. */
async function startOrdersBehind(engine: Pick<MockEngine, 'url'>): Promise<Worker> {
  await using _first = await startRegistry(engine.url, { leaseMs: LEASE_MS })
  return await startOrders(engine)
}

it('nobody is looked for after the registry has left, though a look was under way', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const looks: (() => void)[] = []
    let leave: () => void = () => undefined
    const worker = {
      state: 'connected',
      ownership: { state: 'serving' },
      onStateChange: () => () => undefined,
      onOwnershipChange: () => () => undefined,
      onShutdown: (hook: () => void) => {
        leave = hook
      },
    }
    const options = { owners: {}, scope: () => 's', leaseMs: () => LEASE_MS, timeoutMs: () => 1, log }
    const leases = createWorkerLeases({ worker, ...options } as never)
    leases.watch(
      () => new Promise((resolve) => looks.push(() => resolve(new Set()))),
      () => undefined,
    )
    await vi.advanceTimersByTimeAsync(LEASE_MS)
    leave()
    for (const end of looks) end()
    await vi.advanceTimersByTimeAsync(10 * LEASE_MS)
    expect([looks.length, vi.getTimerCount()]).toEqual([1, 0])
  } finally {
    vi.useRealTimers()
  }
})

import { createSharedState, type MockEngine, startMockEngine } from '@iii/mock-engine'
import type { SkillChange } from '@iii/protocol'
import { registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { subscribe } from '../testing/events.ts'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'

const SOON = { timeout: 10_000 }

/** Asks until there is a registry that answers. */
async function untilServed(registry: TestRegistry): Promise<void> {
  await expect.poll(() => registry.call('skills::list').catch(() => undefined), SOON).toBeDefined()
}

/** How many calls the engine waits for a worker with, as it says that. */
async function countActive(engine: MockEngine, name: string): Promise<number | undefined> {
  const { workers } = await engine.call<{ workers: { name: string; active_invocations: number }[] }>(
    'engine::workers::list',
    {},
  )
  return workers.find((worker) => worker.name === name)?.active_invocations
}

describe('after a restart of the engine', () => {
  it('subscribers are bound once, and hear of nothing that did not happen', async () => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    await using registry = await startRegistry(engine.url)
    const events = await subscribe<SkillChange>(registry.client, 'skills::on-change', 'test::on-change')
    await registry.call('skills::register', { id: 'a', skill: '# A' })
    await events.reach(1)
    // What was told and not yet acknowledged is told once more.
    await expect.poll(() => countActive(engine, 'client'), SOON).toBe(0)
    for (let round = 0; round < 3; round++) {
      await engine.restart({ downMs: 20 })
      await registry.client.ready({ timeoutMs: 10_000 })
      await untilServed(registry)
    }
    expect(await registry.call('skills::list')).toMatchObject({ skills: [{ id: 'a' }] })
    await registry.call('skills::register', { id: 'b', skill: '# B' })
    await registry.call('skills::register', { id: 'end', skill: '# End' })
    await expect.poll(() => events.all.at(-1)?.id, SOON).toBe('end')
    expect(events.all.map(({ id }) => id)).toEqual(['a', 'b', 'end'])
  })
})

describe('a registry that dies and is followed by another one', () => {
  it('has one event for one change, whoever serves', async () => {
    await using engine = await startMockEngine()
    await using subscriber = await startRegistry(engine.url)
    const events = await subscribe<SkillChange>(subscriber.client, 'skills::on-change', 'test::on-change')
    await subscriber.worker.shutdown()
    for (let round = 0; round < 3; round++) {
      await using next = await startRegistry(engine.url)
      await next.call('skills::register', { id: `s${round}`, skill: '# S' })
      await events.reach(round + 1)
      await next.worker.shutdown()
    }
    expect(events.all.map(({ id }) => id)).toEqual(['s0', 's1', 's2'])
  })
})

describe('a store that takes its time', () => {
  it('makes no queue of lists, and every one of them shows what was acknowledged before', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await registry.call('skills::list')
    let heads = 0
    engine.onFault(({ functionId }) => {
      if (functionId === 'state::get') heads += 1
    })
    engine.inject({ fault: 'delay-call', function: 'state::*', ms: 300 })
    await registry.call('skills::register', { id: 'a', skill: '# A' })
    heads = 0
    const lists = await Promise.all(Array.from({ length: 200 }, () => registry.call('skills::list')))
    // One reading is under way, all others share the next; two looks of its own may come in between.
    expect(heads).toBeGreaterThan(0)
    expect(heads).toBeLessThanOrEqual(8)
    for (const list of lists) expect(list).toMatchObject({ skills: [{ id: 'a' }] })
  })
})

describe('a head of the index that somebody overwrote', () => {
  it.each([['text'], [5], [[]], [null], [{}], [{ epoch: 5 }]])(
    'with %j is written anew, and nothing is lost',
    async (junk) => {
      await using engine = await startMockEngine()
      await using registry = await startRegistry(engine.url)
      const list = () => registry.call('skills::list').catch(() => undefined)
      await registry.call('skills::register', { id: 'a', skill: '# A' })
      await engine.call('state::set', { scope: 'skills::index', key: 'head', value: junk })
      await registry.call('skills::register', { id: 'b', skill: '# B' })
      await expect.poll(list, SOON).toMatchObject({ skills: [{ id: 'a' }, { id: 'b' }] })
      await using second = await startRegistry(engine.url)
      expect(await second.call('skills::list')).toMatchObject({ skills: [{ id: 'a' }, { id: 'b' }] })
    },
  )
})

describe('500 workers that register at once', () => {
  it('are all taken, and none that says the same again counts as a change', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await using workers = registerWorker(engine.url, { name: 'crowd' })
    const ids = Array.from({ length: 500 }, (_, n) => `w${n}`)
    const registerAll = () =>
      Promise.all(
        ids.map((id) =>
          workers.trigger({ function_id: 'skills::register', payload: { id, skill: `# ${id}` }, timeoutMs: 20_000 }),
        ),
      )
    await registerAll()
    const events = await subscribe<SkillChange>(registry.client, 'skills::on-change', 'test::on-change')
    await registerAll()
    const { skills } = await registry.call<{ skills: { id: string; owner: string }[] }>('skills::list')
    expect(skills.map(({ id }) => id)).toEqual([...ids].sort())
    expect(new Set(skills.map(({ owner }) => owner))).toEqual(new Set(['crowd']))
    await registry.call('skills::register', { id: 'end', skill: '# End' })
    await expect.poll(() => events.all.at(-1)?.id, SOON).toBe('end')
    expect(events.all.filter(({ changed }) => changed).map(({ id }) => id)).toEqual(['end'])
  })
})

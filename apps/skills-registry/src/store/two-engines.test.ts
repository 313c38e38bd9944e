import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { subscribe } from '../testing/events.ts'
import { startRegistry } from '../testing/registry.ts'

describe('registries on engines that share a store', () => {
  it('serve the same skills and prompts, and tell the subscribers of both within two seconds', async () => {
    const sharedState = createSharedState()
    await using here = await startMockEngine({ sharedState })
    await using there = await startMockEngine({ sharedState })
    await using first = await startRegistry(here.url)
    await using second = await startRegistry(there.url)
    await Promise.all([second.call('skills::list'), second.call('prompts::list')])
    const skills = await subscribe(second.client, 'skills::on-change', 'test::on-skill')
    const prompts = await subscribe(second.client, 'prompts::on-change', 'test::on-prompt')

    const startedAt = performance.now()
    await first.call('skills::register', { id: 'a', skill: '# A' })
    await first.call('prompts::register', { name: 'p', description: 'x', function_id: 'a::b' })
    expect(await skills.reach(1)).toEqual([{ op: 'register', id: 'a', changed: true }])
    expect(await prompts.reach(1)).toEqual([{ op: 'register', name: 'p', changed: true }])
    expect(performance.now() - startedAt).toBeLessThan(2000)
    expect(await second.call('skills::list')).toMatchObject({ skills: [{ id: 'a', owner: 'client' }] })
    expect(await second.call('prompts::mcp-list')).toMatchObject({ prompts: [{ name: 'p' }] })

    await second.call('skills::unregister', { id: 'a' })
    expect(await first.call('skills::list')).toEqual({ skills: [] })
  })
})

describe('two registries on one engine by mistake', () => {
  const SOON = { timeout: 10_000, interval: 5 }

  it('lose neither a record nor an event when either stops', async () => {
    await using engine = await startMockEngine()
    await using older = await startRegistry(engine.url, {}, true)
    const newer = await startRegistry(engine.url, {}, true)
    await vi.waitFor(() => expect(older.worker.ownership.state).toBe('standby'), SOON)
    const events = await subscribe<{ id: string }>(older.client, 'skills::on-change', 'test::on-change')
    await older.call('skills::register', { id: 'a', skill: '# A' })
    await newer.worker.shutdown()
    await vi.waitFor(() => expect(older.worker.ownership.state).toBe('serving'), SOON)
    await older.call('skills::register', { id: 'b', skill: '# B' })
    expect(await older.call('skills::list')).toMatchObject({ skills: [{ id: 'a' }, { id: 'b' }] })
    await vi.waitFor(() => expect(new Set(events.all.map(({ id }) => id))).toEqual(new Set(['a', 'b'])), SOON)
    await newer[Symbol.asyncDispose]()
  })

  it('both say so, and who serves; the one that is left says that it serves again', async () => {
    await using engine = await startMockEngine()
    await using older = await startRegistry(engine.url, {}, true)
    const newer = await startRegistry(engine.url, {}, true)
    const { workerId } = newer.worker
    await vi.waitFor(() => {
      expect(older.workerSaid).toEqual([expect.stringMatching(/^warn: worker 'skills' .* after this process/)])
      expect(newer.workerSaid).toEqual([expect.stringMatching(/^warn: this worker runs more than once on this engine/)])
    }, SOON)
    expect(older.workerSaid[0]).toContain(`(id ${workerId}`)
    expect(older.workerSaid[0]).toContain('this process stands by')
    expect(newer.workerSaid[0]).toContain(`(id ${older.worker.workerId}`)
    expect(newer.workerSaid[0]).toContain('stands by while this process serves')
    await newer[Symbol.asyncDispose]()
    await vi.waitFor(() => expect(older.workerSaid.slice(1)).toEqual([expect.stringContaining('serves again')]), SOON)
  })

  it('lose nothing when the older one stops: the newer one serves on', async () => {
    await using engine = await startMockEngine()
    const older = await startRegistry(engine.url, {}, true)
    await older.call('skills::register', { id: 'a', skill: '# A' })
    await using newer = await startRegistry(engine.url, {}, true)
    await vi.waitFor(() => expect(older.worker.ownership.state).toBe('standby'), SOON)
    const events = await subscribe<{ id: string }>(newer.client, 'skills::on-change', 'test::on-change')
    await newer.call('skills::register', { id: 'b', skill: '# B' })
    await older.worker.shutdown()
    await newer.call('skills::register', { id: 'c', skill: '# C' })
    expect(await newer.call('skills::list')).toMatchObject({ skills: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] })
    expect((await events.reach(2)).map(({ id }) => id)).toEqual(['b', 'c'])
    await older[Symbol.asyncDispose]()
  })

  it('tell of a change that the one that served did not get round to', async () => {
    await using engine = await startMockEngine()
    await using older = await startRegistry(engine.url, {}, true)
    await older.call('skills::list')
    const newer = await startRegistry(engine.url, {}, true)
    await vi.waitFor(() => expect(older.worker.ownership.state).toBe('standby'), SOON)
    const events = await subscribe<{ id: string }>(older.client, 'skills::on-change', 'test::on-change')
    // The newer one ends between the acknowledgement and the event.
    using deaf = engine.inject({ fault: 'fail-call', function: 'test::on-change' })
    await older.call('skills::register', { id: 'a', skill: '# A' })
    await vi.waitFor(() => expect(deaf.struck).toBeGreaterThan(0), SOON)
    deaf()
    await newer.worker.shutdown()
    await vi.waitFor(() => expect(older.worker.ownership.state).toBe('serving'), SOON)
    expect(await events.reach(1)).toMatchObject([{ id: 'a' }])
    await newer[Symbol.asyncDispose]()
  })

  it('are silent on standby: subscribers hear of a change once', async () => {
    await using engine = await startMockEngine()
    await using older = await startRegistry(engine.url, {}, true)
    const events = await subscribe<{ id: string }>(older.client, 'skills::on-change', 'test::on-change')
    await older.call('skills::list')
    await using newer = await startRegistry(engine.url, {}, true)
    await vi.waitFor(() => expect(older.worker.ownership.state).toBe('standby'), SOON)
    await newer.call('skills::register', { id: 'a', skill: '# A' })
    // By then the older one has seen it, too.
    const reads: string[] = []
    engine.onFrame(({ text }) => text.includes('"scope":"skills::index","key":"head"') && reads.push(text))
    await vi.waitFor(() => expect(reads.length).toBeGreaterThan(3), SOON)
    expect(events.all.filter(({ id }) => id === 'a')).toHaveLength(1)
  })
})

import { startMockEngine } from '@iii/mock-engine'
import type { SkillChange } from '@iii/protocol'
import { registerWorker, type Worker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { subscribe } from '../testing/events.ts'
import { startRegistry } from '../testing/registry.ts'

const IDS = 40
const ROUNDS = 30

describe('a burst of changes', () => {
  it('reaches quick and slow subscribers, as few calls as they bear, and ends with the last state of each id', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const { client } = registry
    const quick = await subscribe<SkillChange>(client, 'skills::on-change', 'test::quick')
    const slow: SkillChange[] = []
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    client.registerFunction('test::slow', async (change: SkillChange) => {
      slow.push(change)
      await gate
    })
    client.registerTrigger({ type: 'skills::on-change', function_id: 'test::slow' })
    await client.ready()
    const ids = Array.from({ length: IDS }, (_, n) => `s${n}`)
    await Promise.all(
      ids.map(async (id, n) => {
        for (let round = 0; round < ROUNDS; round++) {
          await registry.call('skills::register', { id, skill: `# Version ${round}` })
        }
        // The last registration brings nothing new: it must not hide from whoever was told of nothing else that something changed.
        if (n % 2 === 0) await registry.call('skills::unregister', { id })
        else await registry.call('skills::register', { id, skill: `# Version ${ROUNDS - 1}` })
      }),
    )
    open()
    await registry.call('skills::register', { id: 'end', skill: 'x' })
    const expected = new Map([
      ...ids.map((id, n) => [id, n % 2 === 0 ? 'unregister' : 'register']),
      ['end', 'register'],
    ] as [string, string][])
    for (const [told, most] of [
      [quick.all, IDS * (ROUNDS + 1) + 1],
      // Those that waited were one for each id; on a slow machine some were told before.
      [slow, 2.5 * IDS],
    ] as const) {
      await expect.poll(() => told.at(-1)?.id, { timeout: 20_000 }).toBe('end')
      expect(new Map(told.map(({ id, op }) => [id, op]))).toEqual(expected)
      expect(told.length).toBeLessThanOrEqual(most)
    }
    expect(slow.slice(1).every(({ changed }) => changed)).toBe(true)
  })
})

describe('subscribers', () => {
  it.each(['skills::on-change', 'prompts::on-change'])(
    'of %s are refused an internal function, also when they were there before the registry',
    async (type) => {
      await using engine = await startMockEngine()
      await using early = await startRegistry(engine.url)
      const bind = (functionId: string) =>
        new Promise<string>((resolve) => {
          early.client.registerTrigger({ type, function_id: functionId, onError: ({ message }) => resolve(message) })
        })
      const refusal = `'${type}' does not call 'state::delete': it is in an internal namespace [forbidden]`
      expect(await bind('state::delete')).toBe(refusal)
      await early.worker.shutdown()
      const parked = bind('skills::unregister')
      await early.client.ready()
      await using late = await startRegistry(engine.url)
      expect(await parked).toBe(refusal.replace('state::delete', 'skills::unregister'))
      await late.client.ready()
    },
  )

  it('learn who had registered a skill before another worker did', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await using second = registerWorker(engine.url, { name: 'second' })
    const events = await subscribe<SkillChange>(registry.client, 'skills::on-change', 'test::on-change')
    const registerBy = (worker: Worker) =>
      worker.trigger({ function_id: 'skills::register', payload: { id: 'a', skill: 'x' } })
    for (const worker of [registry.client, second, second, registry.client]) await registerBy(worker)
    const same = { op: 'register', id: 'a', changed: false }
    expect(await events.reach(4)).toEqual([
      { ...same, changed: true },
      { ...same, previous_owner: 'client' },
      same,
      { ...same, previous_owner: 'second' },
    ])
  })
})

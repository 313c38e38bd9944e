import { startMockEngine } from '@iii/mock-engine'
import { Fault } from '@iii/protocol'
import { describe, expect, it, vi } from 'vitest'
import { type MockStage, startMockStage } from '../testing/mock-stage.ts'
import { createRecordedLog } from '../testing/recorded-log.ts'
import type { AnyFrame, Peer } from '../testing/scripted-engine.ts'
import { startScriptedStage } from '../testing/start-worker.ts'
import { registerWorker } from '../worker/register-worker.ts'
import { publish } from './index.ts'

const timings = { firstDelayMs: 20, maxDelayMs: 40, settleAfterMs: 100, timeoutMs: 1_000 }
const skills = [{ id: 'orders', skill: '# Orders' }]
const prompts = [{ name: 'refund', description: 'Refunds an order', function_id: 'orders::refund-prompt' }]

async function startRegistry(stage: MockStage, register: (payload: unknown) => unknown = () => ({})) {
  const registry = await stage.connect({ name: 'skills' })
  const calls: [string, unknown][] = []
  for (const id of ['skills::register', 'prompts::register', 'skills::unregister', 'prompts::unregister']) {
    registry.registerFunction(id, (payload) => {
      calls.push([id, payload])
      return id.endsWith('::register') ? register(payload) : { removed: true }
    })
  }
  await registry.ready()
  return { registry, calls }
}

describe('publishing', () => {
  it('registers skills and prompts with the registry', async () => {
    await using stage = await startMockStage(startMockEngine)
    const { calls } = await startRegistry(stage)
    const log = createRecordedLog()
    const publication = publish(await stage.connect(), { skills, prompts, log })
    expect(await publication.settled).toEqual({ published: ['skill orders', 'prompt refund'], failed: [] })
    expect(calls).toEqual([
      ['skills::register', skills[0]],
      ['prompts::register', prompts[0]],
    ])
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([['info', 'published']])
  })

  it('tries again while the registry is not there, saying so once', async () => {
    await using stage = await startMockStage(startMockEngine)
    const log = createRecordedLog()
    const publication = publish(await stage.connect(), {
      skills,
      prompts,
      log,
      timings: { ...timings, settleAfterMs: 10_000 },
    })
    await vi.waitFor(() => expect(log.messages('warn')).toHaveLength(1))
    const { calls } = await startRegistry(stage)
    // Each tries again by itself.
    expect((await publication.settled).published.toSorted()).toEqual(['prompt refund', 'skill orders'])
    expect(calls).toHaveLength(2)
    expect(log.messages('warn')).toEqual([
      expect.stringMatching(/no registry\. Start one, .*npx @iii\/skills; trying again$/),
    ])
  })

  it('says nothing of a registry that is not there yet, nor when its worker goes, as in a test of that worker', async () => {
    await using stage = await startMockStage(startMockEngine)
    const asked = vi.fn()
    stage.engine.onFrame(({ direction, frame }) => {
      if (direction === 'out' && frame['function_id'] === 'skills::register') asked()
    })
    const log = createRecordedLog()
    const worker = await stage.connect()
    const publication = publish(worker, { skills, log })
    await vi.waitFor(() => expect(asked).toHaveBeenCalledOnce())
    await worker.shutdown()
    await publication.settled
    expect(log.lines).toEqual([])
  })

  it('says nothing of calls that end with their worker', async () => {
    await using stage = await startMockStage(startMockEngine)
    const { calls } = await startRegistry(stage, () => new Promise(() => undefined))
    const log = createRecordedLog()
    const worker = await stage.connect()
    const publication = publish(worker, { skills, prompts, log })
    await vi.waitFor(() => expect(calls).toHaveLength(1))
    await worker.shutdown()
    expect(await publication.settled).toMatchObject({ published: [] })
    await stage.engine.call('engine::health::check')
    expect(log.lines).toEqual([])
  })

  it('settles after a while with what is missing, in words, and publishes it when a registry comes all the same', async () => {
    await using stage = await startMockStage(startMockEngine)
    const log = createRecordedLog()
    const publication = publish(await stage.connect(), { skills, prompts, log, timings })
    expect(await publication.settled).toEqual({
      published: [],
      failed: [
        { item: 'skill orders', reason: 'Function skills::register not found' },
        { item: 'prompt refund', reason: 'Function prompts::register not found' },
      ],
    })
    expect(log.messages('warn')).toHaveLength(2)
    const items = ['skill orders', 'prompt refund']
    expect(log.lines.at(-1)).toMatchObject({ message: 'still not published; trying again', fields: { items } })
    await startRegistry(stage)
    await vi.waitFor(() => expect(log.lines.at(-1)).toMatchObject({ message: 'published', fields: { items } }))
  })

  it('refuses a name that was mistyped', async () => {
    await using stage = await startMockStage(startMockEngine)
    const worker = await stage.connect()
    expect(() => publish(worker, { skill: skills } as object)).toThrow(
      "publish has 'skill', which is not read; did you mean 'skills'?",
    )
  })

  it.each([
    [undefined, 'publish takes its fields as an object, not as undefined'],
    [
      { skills: { id: 'orders', skill: '# Orders' } },
      "publish takes skills as a list of objects, such as [{ id: 'orders'",
    ],
    [{ skills: ['# Orders'] }, 'publish takes skills as a list of objects'],
    [{ prompts: 'refund' }, 'publish takes prompts as a list of objects'],
    [{ skills: [...skills, ...skills] }, 'publish was given the skill orders twice'],
    [{ skills, prompts: [...prompts, ...prompts] }, 'publish was given the prompt refund twice'],
    [{ timings: { firstDelay: 1 } }, "publish({ timings }) has 'firstDelay', which is not read; did you mean"],
    [{ timings: { firstDelayMs: Number.NaN } }, 'publish({ timings }) takes firstDelayMs as a number of milliseconds'],
    [{ timings: { settleAfterMs: '3m' } }, 'publish({ timings }) takes settleAfterMs as a number of milliseconds'],
  ])('refuses what is no content: %o', async (content, says) => {
    await using stage = await startMockStage(startMockEngine)
    const worker = await stage.connect()
    expect(() => publish(worker, content as object)).toThrow(says)
  })

  it('does not try again what the registry refuses, and publishes the rest', async () => {
    await using stage = await startMockStage(startMockEngine)
    const { calls } = await startRegistry(stage, (payload) => {
      if ('skill' in Object(payload)) throw new Fault('invalid_input', 'skill must be non-empty')
      return {}
    })
    const log = createRecordedLog()
    const publication = publish(await stage.connect(), { skills, prompts, log, timings })
    expect(await publication.settled).toEqual({
      published: ['prompt refund'],
      failed: [{ item: 'skill orders', reason: 'skill must be non-empty' }],
    })
    expect(calls).toHaveLength(2)
    expect(log.messages('error')).toEqual(['the registry refuses skill orders: skill must be non-empty'])
  })

  it('says everything again after each reconnect, until it is stopped', async () => {
    await using stage = await startScriptedStage({ timings: { firstRetryMs: 10 } })
    const publication = publish(stage.worker, { skills, log: stage.log })
    const isSkill = (frame: AnyFrame) => frame['function_id'] === 'skills::register'
    const answer = async (peer: Peer) => {
      const { invocation_id } = await peer.next('invokefunction', isSkill)
      peer.send({ type: 'invocationresult', invocation_id, result: {} })
    }
    await answer(stage.peer)
    expect((await publication.settled).published).toEqual(['skill orders'])
    stage.peer.cut()
    const second = await stage.engine.nextPeer()
    await answer(second)
    publication.close()
    second.cut()
    const third = await stage.engine.nextPeer()
    await stage.worker.ready()
    await stage.worker.ready()
    expect(third.frames.some(isSkill)).toBe(false)
  })

  it('takes everything back at shutdown only if asked to', async () => {
    await using stage = await startMockStage(startMockEngine)
    const { calls } = await startRegistry(stage)
    for (const unregisterOnShutdown of [false, true]) {
      calls.length = 0
      const worker = await stage.connect()
      await publish(worker, { skills, prompts, unregisterOnShutdown, log: stage.log }).settled
      await worker.shutdown()
      expect(calls.slice(2).sort()).toEqual(
        unregisterOnShutdown
          ? [
              ['prompts::unregister', { name: 'refund' }],
              ['skills::unregister', { id: 'orders' }],
            ]
          : [],
      )
    }
  })

  it('that is closed tells what was published until then, and what was not', async () => {
    await using stage = await startMockStage(startMockEngine)
    const closed = { reason: 'the publication was closed' }
    const waiting = publish(await stage.connect(), { skills, log: stage.log })
    waiting.close()
    expect(await waiting.settled).toEqual({ published: [], failed: [{ item: 'skill orders', ...closed }] })
    const { calls } = await startRegistry(stage, (payload) =>
      'skill' in Object(payload) ? {} : new Promise(() => undefined),
    )
    const half = publish(await stage.connect(), { skills, prompts, log: stage.log })
    await vi.waitFor(() => expect(calls).toHaveLength(2))
    half.close()
    expect(await half.settled).toEqual({
      published: ['skill orders'],
      failed: [{ item: 'prompt refund', ...closed }],
    })
  })

  it('that is closed tells what the registry has refused by its own words', async () => {
    await using stage = await startMockStage(startMockEngine)
    const { calls } = await startRegistry(stage, (payload) => {
      if ('skill' in Object(payload)) throw new Fault('forbidden', 'orders belongs to another worker')
      return new Promise(() => undefined)
    })
    const publication = publish(await stage.connect(), { skills, prompts, log: stage.log })
    await vi.waitFor(() => expect(calls).toHaveLength(2))
    publication.close()
    const failed = [
      { item: 'skill orders', reason: 'orders belongs to another worker' },
      { item: 'prompt refund', reason: 'the publication was closed' },
    ]
    expect(await publication.settled).toEqual({ published: [], failed })
  })

  it('ends with the worker that never got a connection', async () => {
    const log = createRecordedLog()
    const worker = registerWorker('ws://127.0.0.1:9', { log })
    const publication = publish(worker, { skills, log })
    await worker.shutdown()
    expect(await publication.settled).toMatchObject({ failed: [{ reason: 'the worker was shut down' }] })
  })
})

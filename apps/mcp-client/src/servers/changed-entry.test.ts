import { describe, expect, it } from 'vitest'
import type { ServerConfig } from '../configuration/server-config.ts'
import { settle } from '../testing/manual-clock.ts'
import { behave, type MemoryProcess, type ProcessMessage } from '../testing/memory-process.ts'
import { toConfig } from '../testing/server-config.ts'
import { allow, type MemoryServerStage, startServer } from '../testing/server-stage.ts'

const apply = async ({ server }: MemoryServerStage, config: Partial<ServerConfig>) => {
  server.apply({ name: 'demo', config: toConfig(config), warnings: [] })
  await settle()
}
const withoutTools = (message: ProcessMessage, process: MemoryProcess) => {
  if (message.method !== 'tools/list') behave(message, process)
}
const { timeouts, concurrency, limits } = toConfig()

describe('a server whose entry changes', () => {
  it('goes on under changed limits, and starts anew for another command', async () => {
    await using stage = await startServer()
    await allow(stage)
    await apply(stage, { tools: { allow: ['*'], deny: ['echo'] } })
    expect(stage.ids()).toEqual([])
    expect(stage.server.status().tools).toMatchObject([{ tool: 'echo', state: 'denied' }])
    await apply(stage, { command: 'another' })
    await stage.clock.advance(2_000)
    expect(stage.processes).toHaveLength(2)
    await apply(stage, { command: 'another', isTrusted: false })
    await stage.clock.advance(2_000)
    expect(stage.server.status().state).toBe('untrusted')
    expect(stage.ids()).toEqual([])
  })

  it('has functions that may take as long as it says now', async () => {
    await using stage = await startServer()
    await allow(stage)
    await apply(stage, { timeouts: { ...timeouts, callMs: 300_000 } })
    await apply(stage, { concurrency: { ...concurrency, waitMs: 600_000 } })
    await apply(stage, { concurrency: { ...concurrency, waitMs: 600_000, calls: 9 } })
    expect(stage.changes).toEqual(['+demo::echo', '~demo::echo', '~demo::echo'])
  })

  it('and that may have more calls at a time lets those run that wait', async () => {
    const one = { calls: 1, waiting: 3, waitMs: 10_000 }
    await using stage = await startServer({ config: { concurrency: one } })
    await allow(stage)
    const { signal } = new AbortController()
    await stage.server.queue.enter(signal)
    const waiting = Promise.allSettled([1, 2, 3].map(() => stage.server.queue.enter(signal)))
    await apply(stage, { concurrency: { ...one, calls: 3 } })
    expect(stage.server.queue.running).toBe(3)
    await stage.clock.advance(10_000)
    expect((await waiting).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  })

  it.each([
    ['untrusted', (stage: MemoryServerStage) => apply(stage, { isTrusted: false })],
    ['disabled', (stage: MemoryServerStage) => apply(stage, { isDisabled: true })],
    ['stopped', async ({ server }: MemoryServerStage) => server.allow(false)],
    ['stopped', async ({ server }: MemoryServerStage) => server.retire()],
  ])('is %s at once also while its tools are listed for the first time', async (state, end) => {
    await using stage = await startServer({ answer: withoutTools })
    await allow(stage)
    const waiting = stage.server.reach(new AbortController().signal)
    waiting.catch(() => undefined)
    expect(stage.server.status().state).toBe('connecting')
    await end(stage)
    await settle()
    expect(stage.server.status().state).toBe(state)
    expect((await stage.last().ended).kind).toBe('signal')
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('while its tools are listed again keeps its functions for half a minute', async () => {
    let isSilent = false
    await using stage = await startServer({
      answer: (message, process) => (isSilent ? withoutTools(message, process) : behave(message, process, stage.tools)),
    })
    await allow(stage)
    isSilent = true
    await apply(stage, { command: 'another' })
    stage.missing = 'gone'
    await apply(stage, { command: 'missing' })
    expect([stage.server.status().state, stage.ids()]).toEqual(['backoff', ['demo::echo']])
    await stage.clock.advance(30_000)
    expect(stage.ids()).toEqual([])
  })

  it('takes messages as large as it says now', async () => {
    await using stage = await startServer({ config: { limits: { ...limits, messageBytes: 1_000 } } })
    await allow(stage)
    await apply(stage, { limits: { ...limits, messageBytes: 2_000 } })
    stage.last().say({ method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(1_500) } })
    await settle()
    expect([stage.server.status().state, stage.processes.length]).toEqual(['ready', 1])
    stage.last().say({ method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(2_500) } })
    await settle()
    expect(stage.server.status().diagnostics).toMatchObject([{ code: 'message_too_large' }])
  })

  it('has as long to end as it says now', async () => {
    await using stage = await startServer()
    await allow(stage)
    const graces: number[] = []
    const { stop } = stage.last()
    stage.last().stop = (options) => {
      graces.push(options?.graceMs ?? 0)
      return stop(options)
    }
    await apply(stage, { timeouts: { ...timeouts, stopMs: 5_000 } })
    stage.server.restart()
    await settle()
    expect(graces).toEqual([5_000])
  })

  it('that fails is tried anew at once', async () => {
    await using stage = await startServer({
      answer: () => undefined,
      config: { timeouts: { ...timeouts, startMs: 100 } },
    })
    await allow(stage)
    await stage.clock.advance(300_000)
    expect(stage.server.status().state).toBe('parked')
    const { length } = stage.processes
    await apply(stage, { timeouts: { ...timeouts, startMs: 600_000 } })
    expect([stage.server.status().state, stage.processes.length]).toEqual(['connecting', length + 1])
  })
})

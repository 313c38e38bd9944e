import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { type McpStage, offer, startMcpStage } from '../testing/mcp-stage.ts'

/** The messages that could not be delivered. */
function triesOf({ stage }: McpStage) {
  return stage.log.messages('debug').filter((message) => message === 'the client of a call was not told')
}

describe('progress and log messages', () => {
  it('arrive in order and before the result, awaited or not, though calls overtake each other', async () => {
    const startEngine = () => startMockEngine({ faults: [{ fault: 'reorder', windowMs: 15 }], seed: 3 })
    await using on = await startMcpStage(startEngine)
    await offer(on, async ({ progress, log }) => {
      void log('debug', 'one')
      await progress(1, 4, 'first')
      void log('info', { two: 2 }, 'shop')
      void log('warning', ['three'])
      await progress(2, 4)
      void log('error', 'four')
      void progress(3, 4, 'last')
      return 'done'
    })
    expect(await on.bridge.call('shop::job')).toBe('done')
    expect(on.bridge.told.map(({ call_id: _, ...told }) => told)).toEqual([
      { what: 'log', level: 'debug', data: 'one' },
      { what: 'progress', progress: 1, total: 4, message: 'first' },
      { what: 'log', level: 'info', data: { two: 2 }, logger: 'shop' },
      { what: 'log', level: 'warning', data: ['three'] },
      { what: 'progress', progress: 2, total: 4 },
      { what: 'log', level: 'error', data: 'four' },
      { what: 'progress', progress: 3, total: 4, message: 'last' },
    ])
  })

  it('arrive before a failure and before a question as well, and the stream can be ended', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, async ({ log, closeStream }) => {
      void log('info', 'so far')
      void closeStream()
      throw new Error('broken')
    })
    await expect(on.bridge.call('shop::job')).rejects.toThrow('broken')
    expect(on.bridge.told).toEqual([
      { what: 'log', call_id: 'c1', level: 'info', data: 'so far' },
      { what: 'close-stream', call_id: 'c1' },
    ])
  })

  it.each([
    ['in one go', false],
    ['awaited one by one', true],
  ])('may be a hundred thousand: progress %s is thinned out, and the last of it is told', async (_how, awaited) => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, async ({ progress }) => {
      for (let step = 1; step <= 100_000; step++) {
        const told = progress(step, 100_000)
        if (awaited) await told
      }
    })
    await on.bridge.call('shop::job')
    const steps = on.bridge.told.map(({ progress }) => Number(progress))
    expect(steps.at(-1)).toBe(100_000)
    expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b))
    expect(steps.length).toBeLessThan(1000)
  })

  it('may be a hundred thousand: of log messages the first are told, and how many are missing', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, ({ log }) => {
      for (let line = 1; line <= 100_000; line++) void log('info', `line ${line}`)
    })
    await on.bridge.call('shop::job')
    const told = on.bridge.told.map(({ data }) => data)
    expect(told[0]).toBe('line 1')
    expect(told.at(-2)).toBe('line 257')
    expect(told.at(-1)).toBe('99743 log messages were left out, because they came faster than they could be delivered')
  })

  it('are as they were when they were said', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, ({ log }) => {
      const state = { step: 1 }
      void log('info', 'first')
      void log('info', state)
      state.step = 2
    })
    await on.bridge.call('shop::job')
    expect(on.bridge.told[1]).toMatchObject({ data: { step: 1 } })
  })

  it('that cannot be said are left out, and harm nothing', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, async ({ log, progress }) => {
      const circle: unknown[] = []
      circle.push(circle)
      await log('info', circle)
      await log('info', undefined)
      await progress(Number.NaN)
      await log('info', JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`))
      await log('info', 'end')
    })
    await on.bridge.call('shop::job')
    expect(on.bridge.told.map(({ data }) => data)).toEqual([null, 'end'])
  })

  it('go nowhere for a client that has not asked for progress, and for a worker that calls', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, async ({ progress, log, closeStream }) => {
      await progress(1)
      await log('info', 'heard')
      await closeStream()
      return 'done'
    })
    expect(await on.bridge.call('shop::job', { sidecar: { progress: false } })).toBe('done')
    expect(on.bridge.told.map(({ what }) => what)).toEqual(['log', 'close-stream'])
    expect(await on.caller.trigger({ function_id: 'shop::job' })).toBe('done')
    expect(on.bridge.told).toHaveLength(2)
  })
})

describe('a bridge that is told', () => {
  it('may hang: after a while the function goes on, and its result arrives', async () => {
    await using on = await startMcpStage(startMockEngine, () => new Promise(() => undefined))
    await offer(on, async ({ progress, log }) => {
      for (let step = 0; step < 50; step++) await progress(step)
      void log('info', 'unheard')
      return 'done'
    })
    expect(await on.bridge.call('shop::job')).toBe('done')
    expect(triesOf(on)).toHaveLength(1)
  })

  it('may be gone, which costs nothing', async () => {
    await using on = await startMcpStage(startMockEngine)
    await offer(on, async ({ log }) => {
      for (let line = 0; line < 50; line++) await log('info', line)
      return 'done'
    })
    expect(await on.bridge.call('shop::job', { sidecar: { via: 'mcp::nobody' } })).toBe('done')
    expect(triesOf(on)).toHaveLength(1)
  })
})

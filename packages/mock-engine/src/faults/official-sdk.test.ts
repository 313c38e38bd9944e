import { type IIIClient, type InitOptions, registerWorker } from 'iii-sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MockEngine, startMockEngine } from '../engine.ts'

const QUIET: InitOptions = { otel: { enabled: false }, enableMetricsReporting: false, invocationTimeoutMs: 10_000 }

describe('a worker written with the official SDK', () => {
  let engine: MockEngine
  let client: IIIClient

  beforeEach(async () => {
    // It writes to stdout and cannot be told not to.
    for (const method of ['log', 'debug', 'warn', 'error'] as const)
      vi.spyOn(console, method).mockImplementation(() => {})
    engine = await startMockEngine()
    client = registerWorker(engine.url, { ...QUIET, workerName: 'official' })
    client.registerFunction('official::quick', () => Promise.resolve('done'))
    // It reports its name last.
    await vi.waitFor(() => engine.call('engine::workers::info', { name: 'official' }))
  })
  afterEach(async () => {
    await client.shutdown()
    await engine.close()
    vi.restoreAllMocks()
  })

  const call = (options = {}) => client.trigger({ function_id: 'official::quick', payload: {}, ...options })

  it('loses replies that come too soon, since it says them once', async () => {
    const early = engine.inject({ fault: 'lose-early-result', function: 'official::*', withinMs: 60_000, times: 1 })
    await expect(call({ timeoutMs: 200 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(early.struck).toBe(1)
    expect(await call()).toBe('done')
  })

  it('comes back after its connection was cut, and after a restart', async () => {
    engine.inject({ fault: 'drop-connection', worker: 'official' })
    await vi.waitFor(async () => expect(await engine.call('official::quick')).toBe('done'), { timeout: 10_000 })
    await engine.restart()
    await vi.waitFor(async () => expect(await engine.call('official::quick')).toBe('done'), { timeout: 10_000 })
  })

  it('works on an engine that reorders what it may', async () => {
    engine.inject({ fault: 'reorder', windowMs: 3 })
    expect(await Promise.all(Array.from({ length: 50 }, () => call()))).toEqual(Array(50).fill('done'))
  })
})

import { describe, expect, it, vi } from 'vitest'
import { type MockEngine, startMockEngine } from './engine.ts'
import { connectRaw } from './testing/raw-worker.ts'
import { inTempFolder } from './testing/temp-folder.ts'

const KEY = { scope: 's', key: 'k' }

/** Whether a stored value is still there after `work`. */
async function survives(engine: MockEngine, work: () => Promise<void>): Promise<boolean> {
  await engine.call('state::set', { ...KEY, value: 1 })
  await work()
  return (await engine.call('state::get', KEY)) === 1
}

describe('a restart', () => {
  it('cuts every connection and comes back on the same ports, with nothing registered', async () => {
    await using engine = await startMockEngine({ restricted: {} })
    const { url, httpUrl, restrictedUrl = '' } = engine
    const worker = await connectRaw(url)
    const guest = await connectRaw(restrictedUrl)
    worker.offer('own::f', () => [1])
    await worker.sync()
    await engine.restart()
    expect(await Promise.all([worker.closed, guest.closed])).toEqual([1006, 1006])
    expect((await fetch(httpUrl)).status).toBe(404)
    await expect(engine.call('own::f')).rejects.toMatchObject({ code: 'function_not_found' })
    for (const address of [url, restrictedUrl]) {
      using again = await connectRaw(address)
      await again.sync()
    }
  })

  it('loses state without a folder unless it is told to keep it', async () => {
    await using engine = await startMockEngine()
    expect(await survives(engine, () => engine.restart({ state: 'keep' }))).toBe(true)
    expect(await survives(engine, () => engine.restart({ state: 'lose' }))).toBe(false)
    expect(await survives(engine, () => engine.restart())).toBe(false)
  })

  it('keeps state in a folder, and refuses to lose it', async () => {
    await inTempFolder(async (dataDir) => {
      const engine = await startMockEngine({ dataDir })
      expect(await survives(engine, () => engine.restart())).toBe(true)
      await expect(engine.restart({ state: 'lose' })).rejects.toThrow("ask for state 'keep'")
      expect(() => engine.inject({ fault: 'restart', everyMs: 9, state: 'lose' })).toThrow("ask for state 'keep'")
      await engine.close()
      await using next = await startMockEngine({ dataDir })
      expect(await next.call('state::get', KEY)).toBe(1)
    })
  })

  it('takes as long as it should, in which nobody is served', async () => {
    await using engine = await startMockEngine()
    const startedAt = performance.now()
    const back = engine.restart({ downMs: 60 })
    await vi.waitFor(() => expect(engine.call('engine::health::check')).rejects.toMatchObject({ code: 'engine_down' }))
    await expect(fetch(engine.httpUrl)).rejects.toThrow()
    await back
    expect(performance.now() - startedAt).toBeGreaterThan(58)
    expect(await engine.call('engine::health::check')).toMatchObject({ status: 'healthy' })
  })

  it('waits for the one before, and is cut short by the end of the engine', async () => {
    const engine = await startMockEngine()
    await Promise.all([engine.restart(), engine.restart()])
    await engine.call('engine::health::check')
    const never = engine.restart({ downMs: 600_000 })
    await engine.close()
    await never
    await expect(engine.restart()).rejects.toThrow('the engine was closed')
    await expect(engine.call('engine::health::check')).rejects.toMatchObject({ code: 'engine_down' })
  })

  it('fails when somebody else took a port in between, and can be tried again', async () => {
    await using engine = await startMockEngine()
    const back = engine.restart({ downMs: 300 })
    const refusal = expect(back).rejects.toMatchObject({ name: 'PortTakenError', port: engine.port })
    const thief = await vi.waitFor(() => startMockEngine({ port: engine.port }))
    await refusal
    await thief.close()
    await engine.restart()
    await engine.call('engine::health::check')
  })

  it('leaves faults and listeners in force', async () => {
    await using engine = await startMockEngine()
    const seen: string[] = []
    engine.onFrame(({ direction, frame }) => seen.push(`${direction} ${String(frame['type'])}`))
    const failing = engine.inject({ fault: 'fail-call', function: 'state::*' })
    await engine.restart()
    using worker = await connectRaw(engine.url)
    expect(await worker.call('state::get', KEY)).toMatchObject({ error: { code: 'invocation_failed' } })
    expect(failing.struck).toBe(1)
    expect(seen).toContain('out workerregistered')
  })

  it('on request comes again and again, as often as it may', async () => {
    await using engine = await startMockEngine()
    const worker = await connectRaw(engine.url)
    const restarts = engine.inject({ fault: 'restart', everyMs: 5, state: 'keep', times: 3 })
    expect(await worker.closed).toBe(1006)
    await vi.waitFor(() => expect(restarts.struck).toBe(3))
    await vi.waitFor(() => engine.call('engine::health::check'))
    restarts()
  })
})

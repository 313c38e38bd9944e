import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { connectRaw, type RawWorker } from '../testing/raw-worker.ts'

describe('faults of the HTTP port', () => {
  let engine: MockEngine
  let worker: RawWorker

  beforeEach(async () => {
    engine = await startMockEngine()
    worker = await connectRaw(engine.url)
    worker.offer('web::page', () => [{ status_code: 200, body: 'page' }])
    const config = { api_path: 'page' }
    worker.send({ type: 'registertrigger', id: 'page', trigger_type: 'http', function_id: 'web::page', config })
    await worker.sync()
  })
  afterEach(async () => {
    worker.socket.terminate()
    await engine.close()
  })

  const page = async (): Promise<unknown> =>
    await fetch(`${engine.httpUrl}/page`).then(
      (response) => response.status,
      (error: unknown) => (error as { cause: { code: string } }).cause.code,
    )

  it('refuse-http: nobody listens until it is taken back, while the bus goes on', async () => {
    expect(await page()).toBe(200)
    const refused = engine.inject({ fault: 'refuse-http' })
    expect(await page()).toBe('ECONNREFUSED')
    expect(await engine.call('web::page')).toMatchObject({ body: 'page' })
    refused()
    refused()
    await vi.waitFor(async () => expect(await page()).toBe(200))
  })

  it('refuse-http cuts who is connected', async () => {
    const client = connect(engine.httpPort, '127.0.0.1')
    await new Promise((resolve) => client.once('connect', resolve))
    const closed = new Promise((resolve) => client.once('close', resolve).resume())
    using _refused = engine.inject({ fault: 'refuse-http' })
    await closed
  })

  it('refuse-http ends by itself after its time', async () => {
    engine.inject({ fault: 'refuse-http', ms: 30 })
    expect(await page()).toBe('ECONNREFUSED')
    await vi.waitFor(async () => expect(await page()).toBe(200))
  })

  it('refuse-http holds as long as one rule is left, over a restart, and when it is there from the start', async () => {
    const first = engine.inject({ fault: 'refuse-http' })
    const second = engine.inject({ fault: 'refuse-http' })
    first()
    await engine.restart()
    expect(await page()).toBe('ECONNREFUSED')
    second()
    await vi.waitFor(async () => expect(await page()).toBe(404))

    await using late = await startMockEngine({ faults: [{ fault: 'refuse-http', ms: 50 }] })
    await expect(fetch(late.httpUrl)).rejects.toThrow()
    await vi.waitFor(async () => expect((await fetch(late.httpUrl)).status).toBe(404))
  })

  it('refuse-http says when somebody else took the port in between', async () => {
    const lines: string[] = []
    await using other = await startMockEngine({ log: ({ level, message }) => lines.push(`${level} ${message}`) })
    const refused = other.inject({ fault: 'refuse-http' })
    await using _thief = await startMockEngine({ httpPort: other.httpPort })
    refused()
    await vi.waitFor(() => expect(lines).toContainEqual(expect.stringMatching(/^error .*port \d+ .*taken/)))
  })

  it('slow-http takes requests up late: all, or those of a function', async () => {
    const timed = async (path: string) => {
      const startedAt = performance.now()
      await fetch(engine.httpUrl + path)
      return performance.now() - startedAt
    }
    {
      using slow = engine.inject({ fault: 'slow-http', ms: 60 })
      expect(await timed('/page')).toBeGreaterThan(58)
      expect(await timed('/none')).toBeGreaterThan(58)
      expect(slow.struck).toBe(2)
    }
    using slow = engine.inject({ fault: 'slow-http', ms: 60, function: 'web::*', times: 1 })
    await timed('/none')
    expect(slow.struck).toBe(0)
    expect(await timed('/page')).toBeGreaterThan(58)
    await timed('/page')
    expect(slow.struck).toBe(1)
  })
})

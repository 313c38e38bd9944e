import { startMockEngine } from '@iii/mock-engine'
import { registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { createEngineTimeout } from './engine-timeout.ts'

const options = { longestMs: 25_000, askTimeoutMs: 2_000 }

describe('the deadline of a plain reply', () => {
  it.each([
    [30_000, 24_000],
    [1_000, 800],
    [120_000, 25_000],
  ])('is less than the %d ms that the engine waits: %d ms', async (httpTimeoutMs, expected) => {
    await using engine = await startMockEngine({ httpTimeoutMs })
    await using worker = registerWorker(engine.url)
    const deadline = createEngineTimeout(worker, options)
    await deadline.load()
    expect(deadline.timeoutMs).toBe(expected)
  })

  it('is 25 s where the engine does not say', async () => {
    const deadline = createEngineTimeout({ trigger: () => Promise.reject(new Error('FORBIDDEN')) }, options)
    await deadline.load()
    expect(deadline.timeoutMs).toBe(25_000)
  })
})

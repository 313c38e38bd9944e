import { startMockEngine } from '@iii/mock-engine'
import { registerWorker } from '@iii/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { serve } from './worker.ts'

/** An engine of its own for each test, with the worker on it. */
async function start() {
  const engine = await startMockEngine()
  const worker = registerWorker(engine.url, { name: 'hello' })
  onTestFinished(() => worker.shutdown().then(() => engine.close()))
  serve(worker)
  await worker.ready({ timeoutMs: 5000 })
  return engine
}

test('greets somebody by name', async () => {
  const engine = await start()
  expect(await engine.call('hello::greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
})

test('says what is wrong with a name', async () => {
  const engine = await start()
  await expect(engine.call('hello::greet', { name: 5 })).rejects.toThrow('name: must be a string, not a number')
})

import { randomUUID } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { startMockEngine } from '../engine.ts'
import { connectRaw } from '../testing/raw-worker.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

// Measured on 0.22.1 and 0.23.0-rc.4.
it('the size of a dead letter counts the backoff of its binding, and the trace context of a caller that tells a traceparent', async () => {
  await using engine = await startMockEngine({ queuePollMs: 1 })
  using worker = await connectRaw(engine.url)
  worker.send(
    { type: 'registerfunction', id: 'bg::dead' },
    {
      type: 'registertrigger',
      id: 'b5',
      trigger_type: 'durable:subscriber',
      function_id: 'bg::dead',
      config: { topic: 'wd', queue_config: { maxRetries: 0, backoffDelayMs: 100 } },
    },
  )
  await worker.sync()
  worker.socket.on('message', (text) => {
    const { type, invocation_id, function_id } = JSON.parse(String(text)) as Record<string, unknown>
    if (type !== 'invokefunction') return
    worker.send({ type: 'invocationresult', invocation_id, function_id, error: { code: 'x', message: 'y' } })
  })
  const sizes: number[] = []
  for (const trace of [
    {},
    { baggage: 'a=b' },
    { traceparent },
    { traceparent, baggage: 'a=b;p=1,iii.function.id=z' },
    { traceparent: 'bad', baggage: ' a = b ' },
  ]) {
    const data = { topic: 'wd', data: 1 }
    const invocation_id = randomUUID()
    worker.send({ type: 'invokefunction', invocation_id, function_id: 'iii::durable::publish', data, ...trace })
    await vi.waitFor(async () => {
      const dead = await engine.call<{ size_bytes: number }[]>('engine::queue::dlq_messages', { topic: 'wd' })
      expect(dead).toHaveLength(sizes.length + 1)
      sizes.push(dead[0]?.size_bytes ?? 0)
    })
  }
  expect(sizes).toEqual([371, 371, 424, 447, 425])
})

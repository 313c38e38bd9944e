import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MockEngine, startMockEngine } from '../engine.ts'
import { connectRaw, type RawWorker } from '../testing/raw-worker.ts'

describe('the trigger type log', () => {
  let engine: MockEngine
  let worker: RawWorker
  beforeEach(async () => {
    engine = await startMockEngine()
    worker = await connectRaw(engine.url)
  })
  afterEach(async () => {
    worker.socket.terminate()
    await engine.close()
  })

  it('fires for lines of exactly the level it names, for all without one, whatever a condition says', async () => {
    const heard: string[] = []
    const levels = ['all', 'trace', 'debug', 'info', 'warn', 'error', 'WARN', 'nope'].map((level) => ({ level }))
    const configs = [...levels, {}, null, { condition_function_id: 'no' }, { level: 5 }]
    worker.offer('no', () => [false])
    for (const [i, config] of configs.entries()) {
      const id = JSON.stringify(config)
      worker.offer(`log::${i}`, (record) => {
        heard.push(`${String(record['severity_text'])} ${id}`)
        return [null]
      })
      worker.send({ type: 'registertrigger', id, trigger_type: 'log', function_id: `log::${i}`, config })
    }
    await worker.sync()
    const always = ['{"condition_function_id":"no"}', '{"level":"all"}', '{"level":5}', '{}', 'null']
    for (const level of ['trace', 'debug', 'info', 'warn', 'error']) {
      heard.length = 0
      await worker.call(`engine::log::${level}`, { message: 'm' })
      const expected = [...always, JSON.stringify({ level })].map((id) => `${level.toUpperCase()} ${id}`)
      await vi.waitFor(() => expect(heard.toSorted()).toEqual(expected.toSorted()))
    }
  })

  it('tells everything about a line, with the metadata of the binding', async () => {
    worker.offer('log::f', () => [null])
    worker.send({
      type: 'registertrigger',
      id: 'l',
      trigger_type: 'log',
      function_id: 'log::f',
      config: {},
      metadata: { m: 1 },
    })
    await worker.sync()
    await worker.call('engine::log::warn', { message: 'm', data: { a: 1 }, trace_id: 't', service_name: 's' })
    expect(await worker.frame(({ type }) => type === 'invokefunction')).toEqual({
      type: 'invokefunction',
      invocation_id: expect.any(String),
      function_id: 'log::f',
      metadata: { m: 1 },
      data: {
        attributes: { a: 1 },
        body: 'm',
        instrumentation_scope_name: 'iii',
        instrumentation_scope_version: '0.22.1',
        observed_timestamp_unix_nano: expect.any(Number),
        resource: {},
        service_name: 's',
        severity_number: 13,
        severity_text: 'WARN',
        span_id: null,
        timestamp_unix_nano: expect.any(Number),
        trace_id: 't',
      },
    })
  })
})

import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { startMockEngine } from '../engine.ts'
import { connectRaw } from '../testing/raw-worker.ts'

const FAR = 18_446_744_073_710

it('times that are no 64 bits of nanoseconds are refused, those of metrics when there are both', async () => {
  await using engine = await startMockEngine()
  const metrics = (input: object) => engine.call('engine::metrics::list', input)
  const refusal = (name: string) => ({ code: 'time_value_overflow', message: `${name} value too large` })
  await expect(engine.call('engine::rollups::list', { end_time: FAR })).rejects.toMatchObject(refusal('end_time'))
  await expect(metrics({ start_time: FAR, end_time: FAR })).rejects.toMatchObject(refusal('start_time'))
  await expect(metrics({ start_time: 0, end_time: 0, aggregate_interval: FAR })).rejects.toMatchObject(
    refusal('aggregate_interval'),
  )
  expect(await metrics({ end_time: FAR })).toMatchObject({ sdk_metrics: [] })
  // Measured on 0.22.1 and 0.23.0-rc.4.
  const query = { aggregate_interval: null, end_time: null, metric_name: null, start_time: null }
  expect(await metrics({ start_time: 5 })).toMatchObject({ query: { ...query, start_time: 5 } })
  expect(await metrics({ aggregate_interval: 5, metric_name: 'x' })).toMatchObject({
    query: { ...query, aggregate_interval: 5, metric_name: 'x' },
  })
  expect(await metrics({ metric_name: 'x' })).not.toHaveProperty('query')
  expect(await engine.call('engine::rollups::list', { end_time: FAR - 1 })).toMatchObject({ rollups: [] })
})

it.each(['0.22', '0.23'] as const)(
  'what is found of spans on engine %s says how they are kept where that is told',
  async (version) => {
    await using engine = await startMockEngine({ engine: version })
    for (const [id, input] of [
      ['engine::traces::list', {}],
      ['engine::traces::tree', { trace_id: 't' }],
      ['engine::traces::group_by', { attribute: 'a' }],
    ] as const) {
      const { storage } = await engine.call<{ storage?: { archive: string } }>(id, input)
      expect(storage?.archive, id).toBe(version === '0.22' ? undefined : 'disabled')
    }
  },
)

// Measured on 0.22.1 and 0.23.0-rc.4.
it.each([
  [undefined, {}, null],
  ['a=b,c=d', { a: 'b', c: 'd' }, 'b'],
  ['a=%20x;p=1', { a: 'x' }, 'x'],
  ['iii.function.id=q', { 'iii.function.id': 'q' }, null],
])('baggage %j of a call is %j', async (baggage, all, a) => {
  await using engine = await startMockEngine()
  using worker = await connectRaw(engine.url)
  const ask = async (function_id: string, data: object) => {
    const invocation_id = randomUUID()
    worker.send({ type: 'invokefunction', invocation_id, function_id, data, baggage })
    return (await worker.frame((frame) => frame['invocation_id'] === invocation_id))['result']
  }
  expect(await ask('engine::baggage::get_all', {})).toEqual({ baggage: all })
  expect(await ask('engine::baggage::get', { key: 'a' })).toEqual({ value: a })
})

import { expect, it } from 'vitest'
import { startMockEngine } from '../engine.ts'

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
  expect(await engine.call('engine::rollups::list', { end_time: FAR - 1 })).toMatchObject({ rollups: [] })
})

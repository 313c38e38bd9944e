import { describe, expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'

interface Told {
  readonly name: string
  readonly histogram?: { dataPoints: Record<string, unknown>[] }
  readonly sum?: { dataPoints: Record<string, unknown>[] }
}
const read = (metrics: ReturnType<typeof createMetrics>) => metrics.collect() as Told[]
const DURATION = 'mcp.server.operation.duration'

describe('metrics', () => {
  it('are nothing before anything was recorded', () => {
    expect(createMetrics().collect()).toEqual([])
  })

  it('tell durations in seconds, each in the first bucket that holds it', () => {
    const metrics = createMetrics({ now: () => 1_000 })
    for (const ms of [10, 10.1, 400_000]) metrics.record(DURATION, ms, { 'mcp.method.name': 'ping' })
    const [{ name, histogram } = { name: '' }] = read(metrics)
    expect(name).toBe(DURATION)
    expect(histogram?.dataPoints).toEqual([
      {
        attributes: [{ key: 'mcp.method.name', value: { stringValue: 'ping' } }],
        startTimeUnixNano: '1000000000',
        timeUnixNano: '1000000000',
        count: '3',
        sum: expect.closeTo(400.0201, 6),
        min: 0.01,
        max: 400,
        bucketCounts: ['1', '1', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '1'],
        explicitBounds: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
      },
    ])
  })

  it('count by labels, and go on counting after they were told', () => {
    const metrics = createMetrics()
    const count = (outcome: string) => metrics.count('iii.mcp.tasks', { outcome })
    count('ok')
    metrics.collect()
    count('ok')
    count('error')
    const values = read(metrics)[0]?.sum?.dataPoints.map(({ asInt }) => asInt)
    expect(values).toEqual(['2', '1'])
  })

  it('keep at most 2000 sets of labels, and count all others together', () => {
    const metrics = createMetrics()
    for (let n = 0; n < 5_000; n++) metrics.record(DURATION, 1, { 'gen_ai.tool.name': `tool-${n}` })
    const points = read(metrics)[0]?.histogram?.dataPoints ?? []
    expect(points.length).toBe(2_001)
    expect(points.at(-1)).toMatchObject({
      attributes: [{ key: 'otel.metric.overflow', value: { stringValue: 'true' } }],
      count: '3000',
    })
  })
})

import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { UNREACHABLE } from '../mcp/call.ts'
import { RpcError } from '../mcp/rpc.ts'
import type { MeasuredRequest } from '../mcp/server.ts'
import { createMetrics } from './metrics.ts'
import { createRequestSpan } from './request-span.ts'

const call: MeasuredRequest['call'] = {
  ...{ id: 1, era: 'plain', revision: '2025-06-18', principal: EVERYBODY, client: undefined, capabilities: {} },
  limits: { timeoutMs: 1_000, plainMs: 1_000, replyBytes: 1_000 },
  ...{ attached: false, share: { kind: 'sessionless' }, session: undefined, paramHeader: undefined },
  ...{ signal: new AbortController().signal, reach: UNREACHABLE },
}

describe('the labels of metrics', () => {
  it('stay few, whatever 100 000 requests name', () => {
    const metrics = createMetrics()
    const options = {
      ...{ sampler: () => false, extra: [], onSpan: () => undefined, onTask: () => undefined },
      onEnd: (ms: number, labels: object) => metrics.record('mcp.server.operation.duration', ms, { ...labels }),
      onDecision: () => undefined,
    }
    for (let n = 0; n < 100_000; n++) {
      const name = randomBytes(8).toString('hex')
      const isKnown = n % 2 === 0
      const asked = isKnown ? { method: 'tools/call', kind: 'tool' as const } : { method: name, kind: undefined }
      const span = createRequestSpan({ ...asked, isKnown, name, params: { name }, call }, options)
      span.refused(new RpcError(n, 'Unknown'))
    }
    const [metric] = metrics.collect() as { histogram: { dataPoints: object[] } }[]
    expect(metric?.histogram.dataPoints.length).toBe(2)
  })
})

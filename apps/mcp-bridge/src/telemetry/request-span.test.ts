import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { UNREACHABLE } from '../mcp/call.ts'
import type { MeasuredRequest } from '../mcp/contract.ts'
import { RpcError } from '../mcp/rpc.ts'
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
      ...{
        sampler: undefined,
        extra: [],
        onSpan: () => undefined,
        onTask: () => undefined,
        onOverloaded: () => undefined,
      },
      onEnd: (ms: number, labels: object) => metrics.record('mcp.server.operation.duration', ms, { ...labels }),
      onDecision: () => undefined,
    }
    const errors = Array.from({ length: 100 }, (_, code) => new RpcError(code, 'Unknown'))
    for (let n = 0; n < 100_000; n++) {
      const name = `anything-${n}`
      const isKnown = n % 2 === 0
      const asked = isKnown ? { method: 'tools/call', kind: 'tool' as const } : { method: name, kind: undefined }
      const span = createRequestSpan({ ...asked, isKnown, name, via: undefined, params: { name }, call }, options)
      for (const error of errors.slice(n % 100, (n % 100) + 1)) span.refused(error)
    }
    const [metric] = metrics.collect() as { histogram: { dataPoints: object[] } }[]
    expect(metric?.histogram.dataPoints.length).toBe(2)
  })
})

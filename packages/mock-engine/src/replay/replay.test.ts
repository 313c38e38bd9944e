import { describe, expect, it } from 'vitest'
import { startMockEngine } from '../engine.ts'
import type { MockEngineOptions } from '../options.ts'
import { replay } from './replay.ts'
import { loadTraces, type Trace } from './trace.ts'

/** How the engine was configured that the traces of a variant were recorded from. */
const VARIANTS: Readonly<Record<Trace['variant'], MockEngineOptions>> = {
  default: {},
  throwaway: {},
  short: {
    httpTimeoutMs: 700,
    cors: { allowedOrigins: ['https://ok.example'], allowedMethods: ['GET', 'POST'] },
  },
  rbac: {
    restricted: {
      authFunctionId: 'ops::auth',
      expose: [{ metadata: { 'mcp.expose': true } }, 'skills::*', 'engine::functions::*'],
    },
  },
}

/** Polls and back-offs of the real engine, shortened; no trace expects them to be long. */
const QUICK: MockEngineOptions = { functionsPollMs: 3000, queuePollMs: 20, queueBackoffMs: 60 }

const traces = loadTraces(new URL('../../traces/', import.meta.url))

describe.concurrent('the mock engine does on the wire what the real one did', () => {
  it.each(traces)('$name', async (trace) => {
    await using engine = await startMockEngine({ ...VARIANTS[trace.variant], ...QUICK })
    await expect(replay(trace, engine)).resolves.toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import type { RestrictedListener } from '../access/restricted-listener.ts'
import { startMockEngine } from '../engine.ts'
import type { MockEngineOptions } from '../options.ts'
import { replay } from './replay.ts'
import { loadTraces, type Trace } from './trace.ts'

const HOOKS: RestrictedListener = {
  authFunctionId: 'ops::auth',
  middlewareFunctionId: 'ops::middleware',
  onFunctionRegistrationId: 'ops::on-function',
  onTriggerRegistrationId: 'ops::on-trigger',
  onTriggerTypeRegistrationId: 'ops::on-type',
  expose: [
    'api::*',
    'engine::register_trigger',
    'engine::unregister_trigger',
    'engine::functions::*',
    'engine::triggers::*',
    'state::*',
  ],
}

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
  hooks: { restricted: HOOKS },
}

/** Polls and back-offs of the real engine, shortened; no trace expects them to be long. */
const QUICK: MockEngineOptions = { functionsPollMs: 3000, queuePollMs: 20, queueBackoffMs: 60 }

const recorded = loadTraces(new URL('../../traces/', import.meta.url))
const measured = loadTraces(new URL('../../traces/measured/', import.meta.url))

async function play(trace: Trace): Promise<void> {
  await using engine = await startMockEngine({ ...VARIANTS[trace.variant], ...QUICK })
  await replay(trace, engine)
}

describe.concurrent('the mock engine does on the wire what the real one did', () => {
  it.each(recorded)('$name', async (trace) => {
    await expect(play(trace)).resolves.toBeUndefined()
  })
  it.each(measured)('measured: $name', async (trace) => {
    await expect(play(trace)).resolves.toBeUndefined()
  })
})

describe('the recorded traces', () => {
  it('are all there, each of the engine release and of a variant that is replayed', () => {
    const counts = new Map<string, number>()
    for (const { variant } of recorded) counts.set(variant, (counts.get(variant) ?? 0) + 1)
    expect(Object.fromEntries(counts)).toEqual({ default: 115, short: 4, rbac: 2, throwaway: 2 })
    expect(new Set([...recorded, ...measured].map(({ engine }) => engine))).toEqual(new Set(['0.22.1']))
    expect(Object.keys(VARIANTS)).toEqual(expect.arrayContaining([...counts.keys()]))
  })

  it('have names of their own', () => {
    const names = [...recorded, ...measured].map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})

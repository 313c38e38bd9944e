import { describe, expect, it } from 'vitest'
import type { RestrictedListener } from '../access/restricted-listener.ts'
import { startMockEngine } from '../engine.ts'
import type { MockEngineOptions } from '../options.ts'
import { DIFFERENT_ON_23, toNextEngine } from './next-engine.ts'
import { replay } from './replay.ts'
import { loadTraces, type RecordedTrace } from './trace.ts'

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

const EXPOSED = { metadata: { 'mcp.expose': true } }

const RESTRICTED: RestrictedListener = {
  authFunctionId: 'ops::auth',
  expose: [
    EXPOSED,
    { ...EXPOSED, namespace: 'orders' },
    'skills::*',
    { match: 'skills::*', namespace: 'orders' },
    'engine::functions::*',
  ],
}

/** How the engine was configured that the traces of a variant were recorded from. */
const VARIANTS: Readonly<Record<RecordedTrace['variant'], MockEngineOptions>> = {
  default: {},
  throwaway: {},
  short: {
    httpTimeoutMs: 700,
    cors: { allowedOrigins: ['https://ok.example'], allowedMethods: ['GET', 'POST'] },
  },
  rbac: { restricted: RESTRICTED },
  grace: { restricted: RESTRICTED, namespaceGraceMs: 300 },
  hooks: { restricted: HOOKS },
}

/** Polls and back-offs of the real engine, shortened; no trace expects them to be long. */
const QUICK: MockEngineOptions = { functionsPollMs: 3000, queuePollMs: 20, queueBackoffMs: 60 }

const folder = (name: string) => loadTraces(new URL(`../../traces/${name}`, import.meta.url))
const recorded = folder('')
const measured = folder('measured/')
const ofNext = [...folder('0.23/'), ...folder('0.23/measured/')]

async function play(trace: RecordedTrace, options: MockEngineOptions = {}, introduced = false): Promise<void> {
  await using engine = await startMockEngine({ ...VARIANTS[trace.variant], ...QUICK, ...options })
  const { url, httpUrl, restrictedUrl } = engine
  await replay(trace, { url, httpUrl, restrictedUrl, introduced })
}

describe.concurrent('the mock engine does on the wire what the real one did', () => {
  it.each(recorded)('$name', async (trace) => {
    await expect(play(trace)).resolves.toBeUndefined()
  })
  it.each(measured)('measured: $name', async (trace) => {
    await expect(play(trace)).resolves.toBeUndefined()
  })
  it.each(ofNext)('0.23: $name', async (trace) => {
    await expect(play(trace, { engine: '0.23' })).resolves.toBeUndefined()
  })
})

describe.concurrent('as engine 0.23 it does what 0.22 did, once a connection has said who it is', () => {
  const [different, same] = [true, false].map((is) =>
    [...recorded, ...measured].filter(({ name }) => name in DIFFERENT_ON_23 === is),
  )
  it.each(same ?? [])('$name', async (trace) => {
    await expect(play(toNextEngine(trace), { engine: '0.23' }, true)).resolves.toBeUndefined()
  })
  it.each(different ?? [])('but not: $name', async (trace) => {
    await expect(play(toNextEngine(trace), { engine: '0.23' }, true)).rejects.toThrow()
  })
})

describe('the recorded traces', () => {
  it('are all there, each of the engine release and of a variant that is replayed', () => {
    const counts = new Map<string, number>()
    for (const { variant } of recorded) counts.set(variant, (counts.get(variant) ?? 0) + 1)
    expect(Object.fromEntries(counts)).toEqual({ default: 115, short: 4, rbac: 2, throwaway: 2 })
    expect(new Set([...recorded, ...measured].map(({ engine }) => engine))).toEqual(new Set(['0.22.1']))
    expect(new Set(ofNext.map(({ engine }) => engine))).toEqual(new Set(['0.23.0-rc.4']))
    expect(Object.keys(VARIANTS)).toEqual(expect.arrayContaining([...counts.keys()]))
  })

  it('have names of their own', () => {
    const names = [...recorded, ...measured, ...ofNext].map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it('those that differ on the next engine are among them', () => {
    const names = [...recorded, ...measured].map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(Object.keys(DIFFERENT_ON_23)))
  })
})

import { describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { startIssuerServer } from '../testing/issuer-server.ts'
import { AUDIENCE, toIssuerRow, toRightClaims } from '../testing/issuer-tokens.ts'
import { CANARY, PARENT, PARENT_HEADER, startTracedBridge } from '../testing/traced-bridge.ts'
import { untilAnswer } from '../testing/until.ts'

describe('metrics', () => {
  it('tell how long requests take, by tool; what is no tool has no name', async () => {
    await using at = await startTracedBridge()
    for (let n = 0; n < 3; n++) await at.bridge.call('demo__hello')
    await at.bridge.call('demo__sad')
    for (let n = 0; n < 5; n++) await at.bridge.rpc('tools/call', { name: `nobody__${n}` })
    await at.close()
    const { unit, points = [] } = at.collector.metrics.get('mcp.server.operation.duration') ?? {}
    expect(unit).toBe('s')
    const rows = points.map(({ labels, value }) => [labels['gen_ai.tool.name'], labels['error.type'], value])
    expect(rows).toEqual([
      ['demo__hello', undefined, 3],
      ['demo__sad', 'tool_error', 1],
      ['_OTHER', '-32602', 5],
    ])
    expect(at.collector.metrics.get('iii.mcp.decisions')?.points).toEqual([
      { labels: { decision: 'allow' }, value: 4, sum: undefined },
      { labels: { decision: 'unknown' }, value: 5, sum: undefined },
    ])
  })
})

describe('metrics of sessions and streams', () => {
  it('tell how long a session was, and how many streams are open', async () => {
    await using at = await startTracedBridge()
    const { headers } = await at.bridge.rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
    const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
    await fetch(at.bridge.url, { method: 'DELETE', headers: session })
    await at.close()
    expect(at.collector.metrics.get('mcp.server.session.duration')?.points).toMatchObject([{ labels: {}, value: 1 }])
    expect(at.collector.metrics.get('iii.mcp.streams')?.points).toMatchObject([{ value: 0 }])
    expect(at.collector.mistakes).toEqual([])
  })

  it('tell who was not let in, by the reason alone', async () => {
    await using at = await startTracedBridge()
    const auth = AuthBlock.parse({ mode: 'required' })
    at.bridge.set({ auth })
    for (let n = 0; n < 3; n++) await at.bridge.rpc('ping', {}, { authorization: `Bearer ${CANARY}` })
    await at.bridge.rpc('ping')
    await at.close()
    const rows = at.collector.metrics.get('iii.mcp.auth.failures')?.points.map(({ labels, value }) => [labels, value])
    expect(rows).toEqual([
      [{ reason: 'unknown-token' }, 3],
      [{ reason: 'no-token' }, 1],
    ])
    expect(JSON.stringify(at.collector.posts)).not.toContain(CANARY)
  })
})

describe('metrics of what is no request', () => {
  const valuesOf = (at: Awaited<ReturnType<typeof startTracedBridge>>, name: string) =>
    at.collector.metrics.get(name)?.points.map(({ labels, value }) => [labels, value])

  it('tell what issuers of tokens were asked for', async () => {
    await using at = await startTracedBridge()
    await using server = await startIssuerServer()
    const issuers = [toIssuerRow(server, AUDIENCE)]
    at.bridge.set({ auth: AuthBlock.parse({ resource: AUDIENCE, issuers, grants: { all: {} } }) })
    const token = await server.idp.sign(toRightClaims(server, AUDIENCE))
    await at.bridge.rpc('ping', {}, { authorization: `Bearer ${token}` })
    await at.close()
    expect(valuesOf(at, 'iii.mcp.jwks.fetches')).toEqual([[{ outcome: 'ok' }, 1]])
  })

  it('tell how long searches of tools take, and whether they find any, and nothing of what was searched', async () => {
    await using at = await startTracedBridge()
    await untilAnswer(at.bridge.toolNames, (names) => names.includes('demo__hello'))
    at.bridge.set({ tools: 'search' })
    for (const query of ['hello', CANARY, 'hello']) await at.bridge.call('search_tools', { query })
    await at.bridge.call('search_tools', {})
    await at.close()
    expect(at.collector.metrics.get('iii.mcp.search.duration')).toMatchObject({ unit: 's' })
    expect(valuesOf(at, 'iii.mcp.search.duration')).toEqual([
      [{ outcome: 'found' }, 2],
      [{ outcome: 'nothing' }, 1],
    ])
    expect(JSON.stringify(at.collector.posts)).not.toContain(CANARY)
  })

  it('tell of requests that were refused because too much ran', async () => {
    await using at = await startTracedBridge({ limits: { callsAtOnce: 1 } })
    let release: (value: unknown) => void = () => undefined
    const stuck = new Promise((resolve) => {
      release = resolve
    })
    let running = 0
    at.bridge.other.registerFunction('demo::stuck', () => {
      running++
      return stuck
    })
    await at.bridge.other.ready()
    const first = at.bridge.call('demo__stuck')
    await untilAnswer(
      () => running,
      (count) => count === 1,
    )
    await at.bridge.rpc('tools/call', { name: 'demo__hello' })
    release({})
    await first
    await at.close()
    expect(valuesOf(at, 'iii.mcp.throttled')).toEqual([[{ reason: 'too-much-at-once' }, 1]])
  })

  it('tell of how many calls a subscriber did not hear', async () => {
    await using at = await startTracedBridge()
    let batches = 0
    at.bridge.other.registerFunction('watch::calls', () => {
      batches++
      throw new Error('no')
    })
    at.bridge.other.registerTrigger({ type: 'mcp::on-call', function_id: 'watch::calls', config: { kinds: ['tool'] } })
    await at.bridge.other.ready()
    for (let n = 0; n < 2; n++) await at.bridge.call('demo__hello')
    await untilAnswer(
      () => batches,
      (count) => count > 0,
    )
    await at.close()
    expect(valuesOf(at, 'iii.mcp.audit.dropped')).toEqual([[{}, 2]])
  })
})

describe('telemetry', () => {
  it('is off without a collector, and by its setting whatever the variables say', async () => {
    await using at = await startTracedBridge({ options: { telemetry: 'off' } })
    await at.bridge.call('demo__hello')
    await at.close()
    expect([at.collector.posts.length, at.traces.length]).toEqual([0, 1])
  })

  it('can be switched on and off while the bridge runs', async () => {
    await using at = await startTracedBridge({ options: { telemetry: 'off' } })
    at.bridge.set({ telemetry: undefined })
    await at.bridge.call('demo__hello')
    at.bridge.set({ telemetry: 'off' })
    await at.bridge.call('demo__sad')
    await at.close()
    expect(at.collector.spans.map(({ name }) => name)).toEqual(['tools/call demo__hello'])
  })

  it('leaves the sampled flag to the client or not, as the variables say', async () => {
    for (const [sampler, kept] of [['parentbased_always_on', 0] as const, ['always_on', 1] as const]) {
      await using at = await startTracedBridge({ variables: { OTEL_TRACES_SAMPLER: sampler } })
      await at.bridge.rpc('tools/call', {
        name: 'demo__hello',
        _meta: { traceparent: PARENT_HEADER.replace(/01$/, '00') },
      })
      await at.close()
      expect(at.collector.spans.length).toBe(kept)
      expect(at.traces[0]).toMatch(new RegExp(`^00-${PARENT.traceId}-[0-9a-f]{16}-0${kept}$`))
      expect(at.collector.metrics.get('mcp.server.operation.duration')?.points[0]?.value).toBe(1)
    }
  })

  it('sends its headers to the collector alone', async () => {
    await using at = await startTracedBridge({ variables: { OTEL_EXPORTER_OTLP_HEADERS: `x-key=${CANARY}` } })
    await at.bridge.rpc('ping')
    at.collector.answer = 302
    await at.close()
    expect(at.collector.posts[0]?.headers['x-key']).toBe(CANARY)
  })

  it('costs no request where the collector is silent, and little at the end', async () => {
    await using at = await startTracedBridge()
    at.collector.answer = 'never'
    for (let n = 0; n < 20; n++) expect(await at.bridge.call('demo__hello')).toMatchObject({ content: [{}] })
    const startedAt = performance.now()
    await at.close()
    expect(performance.now() - startedAt).toBeLessThan(1_500)
    expect(at.collector.posts.length).toBeGreaterThan(0)
  })
})

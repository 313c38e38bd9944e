import { describe, expect, it } from 'vitest'
import { stateless } from '../testing/bridge.ts'
import { CANARY, PARENT, PARENT_HEADER, startTracedBridge } from '../testing/traced-bridge.ts'

describe('a request', () => {
  it('is a span below the one that it names, and what it calls is below that', async () => {
    await using at = await startTracedBridge()
    const { meta, headers } = stateless('tools/call', 'demo__hello')
    const params = {
      name: 'demo__hello',
      arguments: { to: CANARY },
      _meta: { ...meta, traceparent: PARENT_HEADER, tracestate: 'v=1' },
    }
    await at.bridge.rpc('tools/call', params, headers)
    await at.close()
    expect(at.collector.mistakes).toEqual([])
    const [span] = at.collector.spans
    expect(span).toMatchObject({
      name: 'tools/call demo__hello',
      traceId: PARENT.traceId,
      parentSpanId: PARENT.spanId,
      traceState: 'v=1',
      links: [],
      isError: false,
      attributes: {
        'mcp.method.name': 'tools/call',
        'mcp.protocol.version': '2026-07-28',
        'gen_ai.tool.name': 'demo__hello',
        'gen_ai.operation.name': 'execute_tool',
        'jsonrpc.request.id': '1',
        'network.transport': 'tcp',
        'iii.function.id': 'demo::hello',
        'iii.mcp.era': 'stateless',
      },
    })
    expect(span?.attributes).not.toHaveProperty('enduser.id')
    expect(at.traces).toEqual([`00-${PARENT.traceId}-${span?.spanId}-01`])
    expect(at.collector.mistakes).toEqual([])
    expect(JSON.stringify(at.collector.posts)).not.toContain(CANARY)
    expect(at.collector.resources[0]).toMatchObject({ 'service.name': 'iii-mcp', 'service.version': '1.2.3' })
  })

  it('is below the span of its transport where it names none; where both do, the other one is a link', async () => {
    await using at = await startTracedBridge()
    const carried = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`
    await at.bridge.rpc('ping', {}, { traceparent: carried })
    await at.bridge.rpc('ping', { _meta: { traceparent: PARENT_HEADER } }, { traceparent: carried })
    await at.bridge.rpc('ping', { _meta: { traceparent: 'nonsense' } })
    await at.close()
    const [first, second, third] = at.collector.spans
    expect(first).toMatchObject({ name: 'ping', traceId: 'c'.repeat(32), parentSpanId: 'd'.repeat(16), links: [] })
    expect(second).toMatchObject({ parentSpanId: PARENT.spanId, links: [{ spanId: 'd'.repeat(16) }] })
    expect(third?.parentSpanId).toBeUndefined()
  })

  it('that fails says how, and nothing of what was said', async () => {
    await using at = await startTracedBridge()
    await at.bridge.call('demo__sad')
    await at.bridge.rpc('tools/call', { name: 'demo__nobody' })
    await at.bridge.rpc(`${CANARY}/method`)
    await at.close()
    expect(
      at.collector.spans.map(({ name, isError, attributes }) => [name, isError, attributes['error.type']]),
    ).toEqual([
      ['tools/call demo__sad', true, 'tool_error'],
      ['tools/call', true, '-32602'],
      ['_OTHER', true, '-32601'],
    ])
    const { points = [] } = at.collector.metrics.get('mcp.server.operation.duration') ?? {}
    expect(JSON.stringify(points)).not.toContain(CANARY)
  })

  it('of a client that searches tools has the name of the tool that is called, and says through which', async () => {
    await using at = await startTracedBridge({ options: { tools: 'search' } })
    await at.bridge.call('search_tools', { query: CANARY })
    await at.bridge.call('call_tool', { name: 'demo__hello' })
    at.bridge.set({ tools: 'all' })
    await at.bridge.rpc('tools/call', { name: 'search_tools' })
    await at.close()
    const rows = at.collector.spans.map(({ name, attributes }) => [name, attributes['iii.mcp.via']])
    expect(rows).toEqual([
      ['tools/call search_tools', undefined],
      ['tools/call demo__hello', 'call_tool'],
      ['tools/call', undefined],
    ])
    expect(JSON.stringify(at.collector.posts)).not.toContain(CANARY)
  })

  it('in a session names the session without its id, and says which code an error has', async () => {
    await using at = await startTracedBridge()
    const { headers } = await at.bridge.rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
    const id = headers.get('mcp-session-id') ?? ''
    await at.bridge.rpc('tools/call', { name: CANARY }, { 'mcp-session-id': id })
    await at.bridge.rpc('resources/read', { uri: 'demo://address' }, { 'mcp-session-id': id })
    await at.close()
    const [, call, read] = at.collector.spans
    expect(call).toMatchObject({
      name: 'tools/call',
      attributes: { 'iii.mcp.era': 'session', 'rpc.response.status_code': '-32602', 'error.type': '-32602' },
    })
    expect(call?.attributes['mcp.session.id']).toMatch(/^[\w-]{8,}$/)
    expect(read?.attributes['mcp.session.id']).toBe(call?.attributes['mcp.session.id'])
    expect(read?.attributes).not.toHaveProperty('mcp.resource.uri')
    expect(JSON.stringify(at.collector.posts)).not.toContain(id)
    expect(JSON.stringify([...at.collector.metrics])).not.toContain(CANARY)
  })

  it('says who asks and which address is read only where that is wanted', async () => {
    await using at = await startTracedBridge({ options: { telemetryAttributes: ['enduser.id', 'mcp.resource.uri'] } })
    await at.bridge.rpc('resources/read', { uri: 'demo://x' })
    await at.close()
    expect(at.collector.spans[0]).toMatchObject({
      name: 'resources/read',
      attributes: { 'enduser.id': 'everybody', 'mcp.resource.uri': 'demo://x' },
    })
  })
})

import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startBridge, type TestBridge } from '../testing/bridge.ts'
import { openEvents, postInit } from '../testing/events.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'

const ask = (method: string, params: object = {}, id = 1) => ({ jsonrpc: '2.0', id, method, params })

async function open(bridge: TestBridge, protocolVersion = '2025-11-25'): Promise<Record<string, string>> {
  const { headers } = await bridge.rpc('initialize', { protocolVersion, capabilities: { roots: {} } })
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
}

describe('a bridge', () => {
  it('brings the progress of a function as it happens, and then its result', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('jobs::run', async (_, metadata) => {
      const { via, call_id } = (metadata as { mcp: { via: string; call_id: string } }).mcp
      const report = { call_id, progress: 1, total: 2 }
      return bridge.other.trigger({ function_id: `${via}::progress`, payload: report })
    })
    await bridge.other.ready()
    const params = { name: 'jobs__run', _meta: { progressToken: 'p1' } }
    const events = await openEvents(bridge.url, postInit(ask('tools/call', params), await open(bridge, '2025-06-18')))
    expect((await events.rest()).map(({ message }) => message)).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p1', progress: 1, total: 2 } },
      { id: 1, result: { structuredContent: { delivered: true } } },
    ])
  })

  it('tells the GET stream of a session what changes', async () => {
    await using engine = await startMockEngine()
    await using _skills = await startSkillsWorker(engine.url)
    await using bridge = await startBridge(engine)
    const session = await open(bridge)
    const events = await openEvents(bridge.url, { headers: { accept: 'text/event-stream', ...session } })
    await events.next()
    await bridge.other.trigger({ function_id: 'mcp::changed', payload: { kind: 'prompts' } })
    expect(await events.nextMessage()).toMatchObject({ method: 'notifications/prompts/list_changed' })
    expect((await bridge.rpc('resources/subscribe', { uri: 'iii://orders' }, session)).message.result).toEqual({})
    const change = { kind: 'resource', uri: 'iii://orders' }
    await bridge.other.trigger({ function_id: 'mcp::changed', payload: change })
    expect(await events.nextMessage()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'iii://orders' },
    })
  })

  it('goes on with the settings of a session that another process had', async () => {
    await using engine = await startMockEngine()
    let session = {}
    {
      await using first = await startBridge(engine)
      session = await open(first, '2025-06-18')
      await first.rpc('logging/setLevel', { level: 'error' }, session)
    }
    await using second = await startBridge(engine)
    second.other.registerFunction('jobs::log', async (_, metadata) => {
      const { via, call_id } = (metadata as { mcp: { via: string; call_id: string } }).mcp
      const log = (level: string) =>
        second.other.trigger({ function_id: `${via}::log`, payload: { call_id, level, data: level } })
      await log('warning')
      return log('critical')
    })
    await second.other.ready()
    const events = await openEvents(second.url, postInit(ask('tools/call', { name: 'jobs__log' }), session))
    expect((await events.rest()).map(({ message }) => message)).toMatchObject([
      { method: 'notifications/message', params: { level: 'critical' } },
      { id: 1 },
    ])
  })
})

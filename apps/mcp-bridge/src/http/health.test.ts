import { startMockEngine } from '@iii/mock-engine'
import { currentTrace } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { UNSEEN } from '../neighbours/clearance.ts'
import { startBridge } from '../testing/bridge.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'
import { untilAnswer } from '../testing/until.ts'
import { createHealthWatch } from './health.ts'

const FULL = { status: 'ready', reasons: [] }

async function probe(url: string, init?: RequestInit) {
  const response = await fetch(`${url}/health`, init)
  const text = await response.text()
  return { status: response.status, type: response.headers.get('content-type'), text }
}

describe('the health of a bridge', () => {
  it('is ready, degraded without a registry, and told to probes and workers alike', async () => {
    await using engine = await startMockEngine({ functionsPollMs: 50 })
    await using bridge = await startBridge(engine)
    const alone = await probe(bridge.url)
    expect([alone.status, alone.type, JSON.parse(alone.text)]).toEqual([
      200,
      'application/json',
      { status: 'degraded', reasons: [expect.stringMatching(/^No skills registry is connected/)] },
    ])
    await using _ = await startSkillsWorker(engine.url)
    await untilAnswer(
      () => probe(bridge.url),
      ({ text }) => text === JSON.stringify(FULL),
    )
    expect(await bridge.other.trigger({ function_id: 'mcp::health' })).toEqual(FULL)
    expect(await probe(bridge.url, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    expect((await probe(bridge.url, { method: 'POST' })).status).toBe(405)
  })

  it('asks for no token and no name, and says of a locked server nothing but that it is locked', async () => {
    await using engine = await startMockEngine()
    const locked = 'line 3: api_path: must be a path'
    await using bridge = await startBridge(engine, { locked, options: { auth: undefined, apiPath: '/a/mcp' } })
    const { status, text } = await probe(bridge.url, { headers: { origin: 'https://elsewhere.example.com' } })
    expect([status, JSON.parse(text)]).toEqual([
      503,
      { status: 'away', reasons: ['The configuration file locks this server: its log says which line is wrong.'] },
    ])
    expect((await probe(bridge.url, { method: 'HEAD' })).status).toBe(503)
    bridge.set({ allowedHosts: ['mcp.example.com'] })
    expect(JSON.parse((await probe(bridge.url)).text).reasons).toEqual([expect.stringMatching(/who of them may ask/)])
    bridge.set({ allowedHosts: [] })
    expect((await probe(bridge.url)).status).toBe(200)
  })

  it('moves with the endpoint', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const before = bridge.url
    bridge.set({ apiPath: '/tools' })
    await untilAnswer(
      () => probe(bridge.url),
      ({ status }) => status === 200,
    )
    await untilAnswer(
      () => probe(before),
      ({ status }) => status === 404,
    )
  })

  it('costs the engine no question', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    // The bridge looks at the engine by itself too, so what counts is whose trace a question belongs to.
    const traceId = 'c'.repeat(32)
    const headers = { traceparent: `00-${traceId}-${'d'.repeat(16)}-01` }
    const asked: string[] = []
    const { trigger } = bridge.worker
    const listen: typeof trigger = (request) => {
      if (currentTrace()?.traceparent?.includes(traceId) === true) asked.push(request.function_id)
      return trigger(request)
    }
    Object.assign(bridge.worker, { trigger: listen })
    for (let count = 0; count < 50; count++) expect((await probe(bridge.url, { headers })).status).toBe(200)
    expect(asked).toEqual([])
    await bridge.rpc('resources/read', { uri: 'iii://skills' }, headers)
    expect(asked).not.toEqual([])
  })

  it('says of another server that asks for tokens another thing than of one that was not seen yet', () => {
    const shut = { reason: UNSEEN }
    const watch = createHealthWatch({
      locked: () => undefined,
      shut: () => shut.reason,
      rules: () => ({ allowedHosts: [], allowedOrigins: [] }),
    })
    watch.saw([])
    expect(watch.tell()).toEqual({ status: 'away', reasons: [expect.stringMatching(/^It is not known yet whether/)] })
    shut.reason = 'another one asks'
    expect(watch.tell()).toEqual({
      status: 'away',
      reasons: [expect.stringMatching(/^Another server at this path asks callers for a token, and the configuration/)],
    })
  })

  it('is away before the engine was asked, and when the process ends', () => {
    const watch = createHealthWatch({
      locked: () => undefined,
      shut: () => undefined,
      rules: () => ({ allowedHosts: [], allowedOrigins: [] }),
    })
    expect(watch.tell()).toEqual({ status: 'away', reasons: [expect.stringMatching(/does not know yet/)] })
    watch.saw([{ id: 'skills::resources-list' }])
    expect(watch.tell()).toEqual(FULL)
    watch.stopping()
    expect(watch.tell()).toEqual({ status: 'away', reasons: ['This server is stopping.'] })
  })
})

import { once } from 'node:events'
import { startMockEngine } from '@iii/mock-engine'
import { Fault, type McpCallRecord, readMcpSidecar } from '@iii/protocol'

import { describe, expect, it } from 'vitest'
import { startBridge, stateless } from '../testing/bridge.ts'
import { isHeard, listenToCalls, startFeedStage } from '../testing/call-listener.ts'

import { startSkillsWorker } from '../testing/skills-worker.ts'
import { begin, form, offerJob, over, postWithTasks } from '../testing/tasks.ts'

describe('what subscribers hear of a call', () => {
  it('is who called what, when, for how long and how it went', async () => {
    await using at = await startFeedStage()
    const seen: unknown[] = []
    at.bridge.other.registerFunction('demo::hello', (_, sidecar) => {
      seen.push(readMcpSidecar(sidecar)?.call_id)
      return { text: 'hello' }
    })
    await at.bridge.other.ready()
    const { meta, headers } = stateless('tools/call', 'demo__hello')
    await at.bridge.rpc('tools/call', { name: 'demo__hello', arguments: { to: 'you' }, _meta: meta }, headers)
    const call = await at.listener.hear({ tool: 'demo__hello' })
    expect(call).toEqual({
      version: 1,
      call_id: seen[0],
      kind: 'tool',
      client: { name: 'tester', version: '9' },
      era: 'stateless',
      tool: 'demo__hello',
      function_id: 'demo::hello',
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      ms: expect.any(Number),
      decision: 'allow',
      outcome: 'ok',
      bytes_in: JSON.stringify({ to: 'you' }).length,
      bytes_out: expect.any(Number),
    })
    expect(call.bytes_out).toBeGreaterThan(20)
    expect(at.listener.batches.at(-1)).toMatchObject({ version: 1, via: `mcp::${at.bridge.worker.instance}` })
  })

  it('is the tool that call_tool was asked to call, once', async () => {
    await using at = await startFeedStage({}, { options: { tools: 'search' } })
    at.bridge.other.registerFunction('demo::hello', () => 'hello')
    await at.bridge.other.ready()
    await at.bridge.call('call_tool', { name: 'demo__hello', arguments: { to: 'you' } })
    const call = await at.listener.hear({ tool: 'demo__hello' })
    expect(call).toMatchObject({
      function_id: 'demo::hello',
      outcome: 'ok',
      bytes_in: JSON.stringify({ to: 'you' }).length,
    })
    const heard = at.listener.calls().filter(({ tool }) => tool === 'demo__hello' || tool === 'call_tool')
    expect(heard).toHaveLength(1)
  })

  it('names the session, and says nothing of its id', async () => {
    await using at = await startFeedStage()
    const opened = await at.bridge.rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
    const session = opened.headers.get('mcp-session-id') ?? ''
    for (const name of ['one', 'two']) await at.bridge.rpc('tools/call', { name }, { 'mcp-session-id': session })
    const [one, two] = [await at.listener.hear({ tool: 'one' }), await at.listener.hear({ tool: 'two' })]
    expect(one.session).toMatch(/^[\w-]{16}$/)
    expect(two.session).toBe(one.session)
    expect(JSON.stringify(at.listener.batches)).not.toContain(session)
  })

  it('is how it went', async () => {
    await using at = await startFeedStage()
    const { other } = at.bridge
    other.registerFunction('demo::fail', () => {
      throw new Fault('not_found', 'no such order')
    })
    other.registerFunction('demo::sad', () => ({ content: [{ type: 'text', text: 'no' }], isError: true }))
    other.registerFunction('demo::slow', (_, _sidecar, { signal }) => once(signal, 'abort'), {
      metadata: { 'mcp.timeout_ms': 20 },
    })
    other.registerFunction('demo::off', () => 1, { metadata: { 'mcp.expose': false } })
    await other.ready()
    const expected = new Map<string, Partial<McpCallRecord>>([
      ['demo__fail', { outcome: 'error', code: 'not_found', function_id: 'demo::fail' }],
      ['demo__sad', { outcome: 'error', function_id: 'demo::sad' }],
      ['demo__slow', { outcome: 'error', code: 'deadline', function_id: 'demo::slow' }],
      ['demo__off', { outcome: 'refused', code: 'not_exposed', function_id: 'demo::off' }],
      ['state__set', { outcome: 'refused', code: 'internal', function_id: 'state::set' }],
      ['no__body', { outcome: 'refused', code: 'unknown', function_id: 'no::body' }],
    ])
    for (const name of expected.keys()) await at.bridge.rpc('tools/call', { name })
    for (const [tool, how] of expected) {
      const call = await at.listener.hear({ tool })
      expect(call).toMatchObject({ kind: 'tool', ...how })
      expect(call.code).toBe(how.code)
    }
    await at.bridge.rpc('tools/call', { name: 'demo__sad', arguments: { at: 2 ** 60 } })
    expect(await at.listener.hear({ outcome: 'refused', code: '-32602' })).toMatchObject({ tool: 'demo__sad' })
  })

  it('is that nobody waited for it any more', async () => {
    await using at = await startFeedStage()
    const began = new Promise((resolve) => {
      at.bridge.other.registerFunction('demo::wait', (_, _sidecar, { signal }) => {
        resolve(undefined)
        return once(signal, 'abort')
      })
    })
    await at.bridge.other.ready()
    const opened = await at.bridge.rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const reply = at.bridge.rpc('tools/call', { name: 'demo__wait' }, headers)
    await began
    const params = { requestId: 1 }
    await at.bridge.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, headers)
    const told = await at.listener.hear({ tool: 'demo__wait' })
    expect(told).toMatchObject({ outcome: 'given_up', decision: 'allow' })
    expect(told).not.toHaveProperty('code')
    await reply
  })

  it('is that the client asked for something first', async () => {
    await using at = await startFeedStage()
    at.bridge.other.registerFunction('demo::ask', () => ({
      result_type: 'input_required',
      input_requests: { q: form },
    }))
    await at.bridge.other.ready()
    await postWithTasks(at.bridge, 'tools/call', { name: 'demo__ask' })
    expect(await at.listener.hear({ tool: 'demo__ask' })).toMatchObject({ outcome: 'input_required' })
  })

  it('is a section that was read and a prompt that was got, and no skill', async () => {
    await using at = await startFeedStage()
    await using registry = await startSkillsWorker(at.engine.url)
    registry.prompts.set('greet', 'demo::greet')
    at.bridge.other.registerFunction('demo::greet', () => 'hello')
    await Promise.all([registry.worker.ready(), at.bridge.other.ready()])
    for (const uri of ['iii://orders', 'iii://fn/demo/greet', 'iii://fn/state/get', 'iii://functions']) {
      await at.bridge.rpc('resources/read', { uri })
    }
    await at.bridge.rpc('prompts/get', { name: 'greet', arguments: { to: 'me' } })
    const call = await at.listener.hear({ tool: 'greet' })
    expect(call).toMatchObject({ kind: 'prompt', function_id: 'demo::greet', outcome: 'ok', bytes_in: 11 })
    const sections = at.listener.calls().filter(({ kind }) => kind === 'section')
    expect(sections).toMatchObject([
      { tool: 'iii://fn/demo/greet', function_id: 'demo::greet', outcome: 'ok', bytes_in: 0 },
      { tool: 'iii://fn/state/get', function_id: 'state::get', outcome: 'refused', code: 'internal' },
    ])
  })

  it('is a task that began, and the same call when it is over', async () => {
    await using at = await startFeedStage()
    const job = offerJob(at.bridge.other, 'jobs::run')
    const bad = offerJob(at.bridge.other, 'jobs::bad')
    await at.bridge.other.ready()
    const id = await begin(at.bridge, 'jobs__run', { day: 1 })
    const begun = await at.listener.hear({ tool: 'jobs__run', outcome: 'task' })
    job.end({ rows: 3 })
    await over(at.bridge, id)
    const ended = await at.listener.hear({ tool: 'jobs__run', kind: 'task' })
    expect(ended).toMatchObject({ call_id: begun.call_id, outcome: 'ok', function_id: 'jobs::run', bytes_in: 9 })
    expect(begun).toMatchObject({ kind: 'tool', call_id: readMcpSidecar(job.calls[0])?.call_id })
    const failing = await begin(at.bridge, 'jobs__bad')
    bad.fail(new Error('no paper'))
    await over(at.bridge, failing)
    expect(await at.listener.hear({ tool: 'jobs__bad', kind: 'task' })).toMatchObject({ outcome: 'error' })
    const left = await begin(at.bridge, 'jobs__run')
    await postWithTasks(at.bridge, 'tasks/cancel', { taskId: left })
    expect(await at.listener.hear({ kind: 'task', outcome: 'given_up' })).toMatchObject({ tool: 'jobs__run' })
  })
})

describe('a subscriber', () => {
  it('gets many calls in one batch, and the metadata of its binding', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const seen: unknown[] = []
    const listener = await listenToCalls(bridge.other, {}, { metadata: { mine: 1 }, onMetadata: (it) => seen.push(it) })
    await isHeard(bridge, listener)
    await Promise.all(Array.from({ length: 250 }, (_, at) => bridge.rpc('tools/call', { name: `many_${at}` })))
    await listener.hear({ tool: 'many_249' })
    const many = listener.batches.filter(({ calls }) => calls.some(({ tool }) => tool.startsWith('many_')))
    expect(many.flatMap(({ calls }) => calls).length).toBeGreaterThanOrEqual(250)
    expect(many.length).toBeLessThan(50)
    expect(Math.max(...many.map(({ calls }) => calls.length))).toBeLessThanOrEqual(100)
    expect(seen.at(-1)).toMatchObject({ mine: 1 })
  })

  it('that hangs delays no call, and hears the next ones when it is well', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    let release: (value: unknown) => void = () => undefined
    const stuck = new Promise((resolve) => {
      release = resolve
    })
    const slow = await listenToCalls(bridge.other, {}, { id: 'listener::slow', onBatch: () => stuck })
    const quick = await listenToCalls(bridge.other, {}, { id: 'listener::quick' })
    for (const listener of [slow, quick]) await isHeard(bridge, listener)
    await bridge.rpc('tools/call', { name: 'later' })
    await quick.hear({ tool: 'later' })
    expect(slow.batches).toHaveLength(1)
    release(undefined)
    await slow.hear({ tool: 'later' })
  })
})

import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import type { McpCallBatch, McpCallRecord } from '@iii/protocol'
import { registerWorker } from '@iii/sdk'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { failure, scripted, startWorkerStage, textOf } from './testing/worker-stage.ts'

let engine: MockEngine
beforeAll(async () => {
  engine = await startMockEngine()
})
afterAll(() => engine.close())

/** A call as a bridge makes it. */
const asBridge = { metadata: { mcp: { call_id: 'c1', via: 'mcp::nobody', progress: true } } }

describe('the worker', () => {
  it('gives a call up at its deadline, and tells the server', async () => {
    const slow = scripted({ tools: ['never', 'cancelled'] }, { timeouts: { call_ms: 1_000 } })
    await using stage = await startWorkerStage(engine, { slow })
    await stage.untilState('slow', 'ready')
    const began = performance.now()
    expect(await failure(stage.call('slow::never'))).toMatch(/has not answered within 1 s .* not known \[deadline\]$/)
    expect(performance.now() - began).toBeLessThan(2_500)
    expect(textOf(await stage.call('slow::cancelled'))).toContain('has not answered within 1 s')
  })

  it('lets only so many calls run and wait', async () => {
    const narrow = scripted({ tools: ['never'] }, { concurrency: { calls: 1, waiting: 1, wait_ms: 100 } })
    await using stage = await startWorkerStage(engine, { narrow })
    await stage.untilState('narrow', 'ready')
    const first = failure(stage.call('narrow::never'))
    const [second, third] = await Promise.all([
      failure(stage.call('narrow::never')),
      failure(stage.call('narrow::never')),
    ])
    expect(second).toMatch(/none of its calls ended within 0.1 s; try again later \[overloaded\]$/)
    expect(third).toMatch(/1 calls run and 1 wait already; try again later \[overloaded\]$/)
    await stage.worker.shutdown()
    await first
  })

  it('runs every server by itself: one that hangs, fails or is not trusted costs nobody else anything', async () => {
    const untrusted = { ...scripted(), trust: undefined }
    const servers = {
      good: scripted(),
      silent: scripted({ silent: true }),
      gone: scripted({ exit: 1 }),
      untrusted,
      bad: 7,
    }
    await using stage = await startWorkerStage(engine, servers)
    await stage.untilState('good', 'ready')
    expect(textOf(await stage.call('good::echo', { a: 1 }))).toBe('{"a":1}')
    expect((await stage.status('silent')).state).toBe('connecting')
    expect((await stage.status('untrusted')).state).toBe('untrusted')
    expect((await stage.status('bad')).state).toBe('malformed')
    await stage.untilState('gone', 'backoff')
    expect(await failure(stage.call('mcp-client::restart', { server: 'untrusted' }))).toMatch(
      /is untrusted .*\[conflict\]$/,
    )
    expect(await failure(stage.call('mcp-client::restart', { server: 'nobody' }))).toMatch(
      /there are good, .*\[not_found\]$/,
    )
  })

  it('takes over what the file says later', async () => {
    await using stage = await startWorkerStage(engine, { first: scripted() })
    await stage.untilState('first', 'ready')
    stage.set({ second: scripted() })
    await stage.untilState('second', 'ready')
    // The process of the first one may take longer to end.
    const ids = () => stage.worker.functionIds.filter((id) => /^(?:first|second)::/.test(id))
    await vi.waitFor(() => expect(ids()).toEqual(['second::echo']), 5_000)
  })

  it('offers resources and prompts where the file asks for it', async () => {
    const capabilities = { resources: {}, prompts: {} }
    const servers = { notes: scripted({ capabilities }, { operations: true }), plain: scripted({ capabilities }) }
    await using stage = await startWorkerStage(engine, servers)
    await Promise.all([stage.untilState('notes', 'ready'), stage.untilState('plain', 'ready')])
    expect(stage.worker.functionIds.filter((id) => /^(?:notes|plain)::/.test(id))).toHaveLength(4)
    expect(await stage.call('notes::mcp::resources-list')).toEqual({
      resources: [{ uri: 'notes://1', name: 'one' }],
      templates: [{ uriTemplate: 'notes://{n}', name: 'any' }],
    })
    expect(await stage.call('notes::mcp::resources-read', { uri: 'notes://1' })).toEqual({
      contents: [{ uri: 'notes://1', text: 'a note' }],
    })
    expect(await stage.call('notes::mcp::prompts-list')).toEqual({
      prompts: [{ name: 'sum', arguments: [{ name: 'of' }] }],
    })
    const got = await stage.call('notes::mcp::prompts-get', { name: 'sum', arguments: { of: '1' } })
    expect(JSON.stringify(got)).toContain('of')
    expect(await failure(stage.call('notes::mcp::resources-read'))).toMatch(/`uri` is missing.*\[invalid_input\]$/)
    const odd = stage.call('notes::mcp::prompts-get', { name: 'sum', arguments: 'of=1' })
    expect(await failure(odd)).toMatch(/`arguments` has to be an object.*\[invalid_input\]$/)
    // As a tool takes it: a caller that writes all keys has none.
    const none = { name: 'sum', arguments: null }
    expect(await stage.call('notes::mcp::prompts-get', none)).toHaveProperty('messages')
  })

  it('keeps off a name under which somebody else has functions, and takes it when that has gone', async () => {
    const other = registerWorker(engine.url, { name: 'shop' })
    other.registerFunction('taken::order', () => ({}))
    await other.ready()
    await using stage = await startWorkerStage(engine, { taken: scripted() })
    const { diagnostics } = await stage.untilState('taken', 'conflict')
    expect(diagnostics[0]?.message).toContain("worker 'shop'")
    await other.shutdown()
    await stage.untilState('taken', 'ready')
  })

  it('goes on with its other servers when somebody takes a function of one, and has that again afterwards', async () => {
    await using stage = await startWorkerStage(engine, { robbed: scripted(), calm: scripted() })
    await Promise.all([stage.untilState('robbed', 'ready'), stage.untilState('calm', 'ready')])
    const { pid } = await stage.status('calm')
    const thief = registerWorker(engine.url, { name: 'thief' })
    thief.registerFunction('robbed::echo', () => ({}))
    await thief.ready()
    await stage.untilState('robbed', 'conflict')
    expect(stage.worker.functionIds).not.toContain('robbed::echo')
    expect(await stage.status('calm')).toMatchObject({ state: 'ready', pid })
    await thief.shutdown()
    await stage.untilState('robbed', 'ready')
    expect(textOf(await stage.call('robbed::echo', { a: 1 }))).toBe('{"a":1}')
  })

  it('tells of the calls of workers, and not of those that a bridge tells of', async () => {
    await using stage = await startWorkerStage(engine, { demo: scripted({ tools: ['echo', 'fail'] }) })
    await stage.untilState('demo', 'ready')
    const told: McpCallRecord[] = []
    const note = ({ calls }: McpCallBatch) => {
      told.push(...calls)
      return {}
    }
    stage.caller.registerFunction('listener::note', note)
    stage.caller.registerTrigger({
      type: 'mcp-client::on-call',
      function_id: 'listener::note',
      config: { inputs: true },
    })
    await stage.caller.ready()
    for (let nth = 0; told.length === 0 && nth < 100; nth++) await stage.call('demo::echo', { nth })
    await stage.call('demo::echo', { by: 'a bridge' }, asBridge)
    await failure(stage.call('demo::fail'))
    while (told.at(-1)?.function_id !== 'demo::fail') await stage.call('demo::fail').catch(() => undefined)
    expect(told[0]).toMatchObject({
      kind: 'tool',
      tool: 'demo::echo',
      function_id: 'demo::echo',
      outcome: 'ok',
      bytes_out: 80,
    })
    expect(told.at(-1)).toMatchObject({ outcome: 'error', code: 'internal' })
    expect(JSON.stringify(told)).not.toContain('a bridge')
    // A digest of what it was called with, and nothing of that.
    expect(JSON.stringify(told[0])).not.toContain('nth')
  })

  it('stays quiet while an earlier process of it serves, and serves when that has gone', async () => {
    const first = await startWorkerStage(engine, { demo: scripted() })
    const { pid } = await first.untilState('demo', 'ready')
    await using second = await startWorkerStage(engine, { demo: scripted() })
    expect(second.worker.ownership.state).toBe('standby')
    expect((await second.status('demo')).pid).toBe(pid)
    expect(second.worker.functionIds).not.toContain('demo::echo')
    await first[Symbol.asyncDispose]()
    for (;;)
      if (
        await second.status('demo').then(
          ({ state }) => state === 'ready',
          () => false,
        )
      )
        break
    expect((await second.status('demo')).pid).not.toBe(pid)
  })
})

import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import type { McpCallBatch, McpCallRecord } from '@iii/protocol'
import { InvocationError, registerWorker } from '@iii/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scripted, startWorkerStage, type WorkerStage } from './testing/worker-stage.ts'

let engine: MockEngine
beforeAll(async () => {
  engine = await startMockEngine()
})
afterAll(() => engine.close())

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'it did not fail',
    (error: unknown) => (error instanceof InvocationError ? error.message : String(error)),
  )
/** A call as a bridge makes it. */
const asBridge = { metadata: { mcp: { call_id: 'c1', via: 'mcp::nobody', progress: true } } }

describe('a tool', () => {
  let stage: WorkerStage
  const tools = ['echo', 'fail', 'refuse', 'exit', 'never', 'cancelled', 'report', 'raw', 'change', 'pid']
  beforeAll(async () => {
    stage = await startWorkerStage(engine, { demo: scripted({ tools, stderr: 'hello\n' }) })
    await stage.untilState('demo', 'ready')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  it('is called with what it is given, without who called, and its result passes as it is', async () => {
    expect(await stage.call('demo::echo', { a: 1 }, asBridge)).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      structuredContent: { a: 1 },
    })
  })

  it('takes an object and nothing else', async () => {
    expect(await failure(stage.call('demo::echo', [1]))).toBe(
      'demo::echo takes an object of arguments, as its schema says [invalid_input]',
    )
    expect(textOf(await stage.call('demo::echo', null))).toBe('{}')
  })

  it('that fails throws for a worker, and answers a client of MCP', async () => {
    expect(await failure(stage.call('demo::fail'))).toBe('it is broken [internal]')
    expect(await stage.call('demo::fail', {}, asBridge)).toMatchObject({ isError: true })
    expect(await failure(stage.call('demo::refuse'))).toBe('a is no number [invalid_input]')
  })

  it('is asked for progress only where somebody wants it', async () => {
    expect(textOf(await stage.call('demo::report'))).toBe('unasked')
    expect(textOf(await stage.call('demo::report', {}, asBridge))).toBe('reported')
  })

  it('reports to the client that asked; a log line goes on only while no other call runs', async () => {
    const told: string[] = []
    for (const what of ['progress', 'log']) {
      const note = () => ({ delivered: told.push(what) > 0 })
      stage.caller.registerFunction(`mcp::told::${what}`, note)
    }
    await stage.caller.ready()
    const asClient = { metadata: { mcp: { call_id: 'c2', via: 'mcp::told', progress: true } } }
    await stage.call('demo::report', {}, asClient)
    expect(told.sort()).toEqual(['log', 'progress'])
    const other = failure(stage.call('demo::never', {}, { timeoutMs: 1_000 }))
    await stage.call('demo::report', {}, asClient)
    expect(told.sort()).toEqual(['log', 'progress', 'progress'])
    await stage.call('mcp-client::restart', { server: 'demo' })
    await other
  })

  it('whose answer comes twice, late or for somebody else has one result', async () => {
    const answer = (id: string, text: string) =>
      `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${text}"}],"_meta":7,"task":{"taskId":"t"}}}`
    const lines = [
      answer('987', 'wrong'),
      '{"jsonrpc":"2.0","id":7,"result',
      answer('$ID', 'right'),
      answer('$ID', 'again'),
    ]
    expect(textOf(await stage.call('demo::raw', { lines }))).toBe('right')
    // The last line may still be on its way when the result is there.
    const counts = async () => (await stage.status('demo')).counts
    await expect.poll(counts).toMatchObject({ ignored_responses: 2, skipped_lines: 1 })
  })

  it('gets no answer to what a client of MCP may refuse', async () => {
    const ask = (method: string) => `{"jsonrpc":"2.0","id":"x","method":"${method}","params":{}}`
    const done = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}'
    const lines = [ask('sampling/createMessage'), ask('elicitation/create'), ask('roots/list'), ask('ping'), done]
    await stage.call('demo::raw', { lines })
    expect((await stage.status('demo')).counts).toMatchObject({ refused_requests: 3 })
  })

  it('that the server says is new is a function a moment later', async () => {
    await stage.call('demo::change', { add: 'later' })
    for (;;) {
      const { tools: all } = await stage.status('demo')
      const later = all.find(({ tool }) => tool === 'later')
      if (later === undefined) continue
      expect(later).toEqual({ tool: 'later', functionId: 'demo::later', state: 'pending' })
      break
    }
  })

  it('whose process ends is lost, said to be unknown, and not called again', async () => {
    const before = textOf(await stage.call('demo::pid'))
    expect(await failure(stage.call('demo::exit'))).toMatch(
      /whether it has done the work is not known\. Its process ended \(exit code \d+\) \[worker_lost\]$/,
    )
    await stage.untilState('demo', 'ready')
    expect(textOf(await stage.call('demo::pid'))).not.toBe(before)
    // Of the process before, too.
    expect((await stage.status('demo')).stderr.slice(0, 2)).toEqual(['hello', 'hello'])
  })
})

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
    expect(stage.worker.functionIds.filter((id) => /^(?:first|second)::/.test(id))).toEqual(['second::echo'])
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

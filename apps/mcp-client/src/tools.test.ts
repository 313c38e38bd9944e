import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failure, scripted, startWorkerStage, textOf, type WorkerStage } from './testing/worker-stage.ts'

let engine: MockEngine
beforeAll(async () => {
  engine = await startMockEngine()
})
afterAll(() => engine.close())

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
    // What it logs may be about the calls of others before, as long as it is the same process.
    await stage.call('mcp-client::restart', { server: 'demo' })
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

import { startMockEngine } from '@iii/mock-engine'
import { readMcpSidecar } from '@iii/protocol'
import { createStateScope, registerMcpFunction, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import {
  askForResult,
  begin,
  beginJob,
  createGateway,
  form,
  get,
  offerJob,
  over,
  postWithTasks,
  TASK,
} from '../testing/tasks.ts'
import { untilAnswer } from '../testing/until.ts'
import { TASK_SCOPES } from './record.ts'

describe('a task on another bridge', () => {
  it('is polled, answered and cancelled like on its own', async () => {
    await using engine = await startMockEngine()
    await using first = await startBridge(engine, { options: { apiPath: '/first' } })
    await using second = await startBridge(engine, { options: { apiPath: '/second' } })
    const job = offerJob(first.other, 'jobs::run')
    first.other.registerFunction(
      'jobs::asks',
      (_, metadata) =>
        readMcpSidecar(metadata)?.input_responses ?? { result_type: 'input_required', input_requests: { a: form } },
      TASK,
    )
    await first.other.ready()
    const taskId = await begin(first, 'jobs__run')
    await job.called()
    expect(await get(second, taskId)).toMatchObject({ status: 'working' })
    job.end('done')
    expect(await over(second, taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } })
    const cancelled = await begin(first, 'jobs__run')
    await askForResult(second, 'tasks/cancel', { taskId: cancelled })
    expect(await get(first, cancelled)).toMatchObject({ status: 'cancelled' })
    const asking = await begin(first, 'jobs__asks')
    await untilAnswer(
      () => get(second, asking),
      ({ status }) => status === 'input_required',
    )
    const wrong = await postWithTasks(second, 'tasks/update', { taskId: asking, inputResponses: { a: 1 } })
    expect(wrong.message.error).toMatchObject({ code: -32602, message: expect.stringMatching(/no answer/) })
    await askForResult(second, 'tasks/update', {
      taskId: asking,
      inputResponses: { a: { action: 'accept', content: {} } },
    })
    expect(await over(second, asking)).toMatchObject({ status: 'completed' })
  })

  it('outlives its bridge: finished ones stay, running ones end where their function says how', async () => {
    await using engine = await startMockEngine()
    const author = registerWorker(engine.url, { name: 'author' })
    const [plain, kept] = [offerJob(author, 'jobs::plain'), createGateway()]
    author.registerFunction('jobs::quick', () => 'quick', TASK)
    author.registerFunction('jobs::asks', () => ({ result_type: 'input_required', input_requests: { a: form } }), TASK)
    registerMcpFunction(author, 'jobs::kept', async () => kept.passed, { mcp: { task: 'optional' } })
    await author.ready()
    const before = await startBridge(engine, { limits: { awayMs: 0 } })
    const quick = await begin(before, 'jobs__quick')
    await over(before, quick)
    const lost = await begin(before, 'jobs__plain')
    const waiting = await begin(before, 'jobs__asks')
    await untilAnswer(
      () => get(before, waiting),
      ({ status }) => status === 'input_required',
    )
    const [running, dropped] = [await begin(before, 'jobs__kept'), await begin(before, 'jobs__kept')]
    await untilAnswer(
      () => plain.calls.length,
      (count) => count === 1,
    )
    await kept.reached
    await before[Symbol.asyncDispose]()

    await using after = await startBridge(engine, { limits: { awayMs: 0 } })
    expect(await get(after, quick)).toMatchObject({ status: 'completed', result: { content: [{ text: 'quick' }] } })
    const unknown = await untilAnswer(
      () => get(after, lost),
      ({ status }) => status === 'failed',
    )
    expect(unknown).toMatchObject({ error: { message: expect.stringMatching(/outcome is unknown/) } })
    // Only what may still end can be cancelled.
    for (const taskId of [dropped, waiting]) await askForResult(after, 'tasks/cancel', { taskId })
    expect(await get(after, dropped)).toMatchObject({ status: 'cancelled' })
    expect(await get(after, waiting)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringMatching(/waited for input/) },
    })
    expect(await get(after, running)).toMatchObject({ status: 'working' })
    kept.pass({ rows: 7 })
    expect(await over(after, running)).toMatchObject({
      status: 'completed',
      result: { structuredContent: { rows: 7 } },
    })
    expect(await get(after, dropped)).toMatchObject({ status: 'cancelled' })
    await author.shutdown()
  })

  it('is over for its bridge also where the engine has forgotten what was written last', async () => {
    await using engine = await startMockEngine()
    await using first = await startBridge(engine, { options: { apiPath: '/first' } })
    await using second = await startBridge(engine, { options: { apiPath: '/second' } })
    const door = createGateway()
    registerMcpFunction(first.other, 'jobs::kept', async () => door.passed, { mcp: { task: 'optional' } })
    await first.other.ready()
    const taskId = await begin(first, 'jobs__kept')
    await door.reached
    const rows = createStateScope(first.other, TASK_SCOPES.tasks)
    const before = await rows.get(taskId)
    door.pass({ rows: 7 })
    await untilAnswer(
      () => rows.get(taskId),
      (row) => (row as Record<string, unknown> | undefined)?.['status'] === 'completed',
    )
    await rows.set(taskId, before)
    await createStateScope(first.other, TASK_SCOPES.results).delete(taskId)
    for (const bridge of [first, second]) {
      expect(await get(bridge, taskId)).toMatchObject({
        status: 'failed',
        error: { message: expect.stringMatching(/lost/) },
      })
    }
  })

  it('has failed when the worker of its function has gone as well', async () => {
    await using engine = await startMockEngine()
    const author = registerWorker(engine.url, { name: 'author' })
    const door = createGateway()
    registerMcpFunction(author, 'jobs::kept', async () => door.passed, { mcp: { task: 'optional' } })
    await author.ready()
    const before = await startBridge(engine, { limits: { awayMs: 0 } })
    const taskId = await begin(before, 'jobs__kept')
    await door.reached
    await before[Symbol.asyncDispose]()
    await using after = await startBridge(engine, { limits: { awayMs: 0 } })
    expect(await get(after, taskId)).toMatchObject({ status: 'working' })
    await author.shutdown()
    expect(await over(after, taskId)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringMatching(/unknown/) },
    })
  })

  it('stays as a client was told, also on a bridge that has not missed the one that ran it for as long', async () => {
    await using engine = await startMockEngine()
    const author = registerWorker(engine.url, { name: 'author' })
    const job = offerJob(author, 'jobs::run')
    await author.ready()
    const before = await startBridge(engine)
    const taskId = await begin(before, 'jobs__run')
    await job.called()
    await before[Symbol.asyncDispose]()
    await using first = await startBridge(engine, { options: { apiPath: '/first' }, limits: { awayMs: 0 } })
    await using second = await startBridge(engine, { options: { apiPath: '/second' } })
    const told = await get(first, taskId)
    expect(told).toMatchObject({ status: 'failed', error: { message: expect.stringMatching(/unknown/) } })
    expect(await get(second, taskId)).toMatchObject({ status: 'failed', error: told['error'] })
    await author.shutdown()
  })

  it('ends as its function says also when the engine has restarted meanwhile', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const [plain, kept] = [offerJob(bridge.other, 'jobs::plain'), createGateway()]
    registerMcpFunction(bridge.other, 'jobs::kept', async () => kept.passed, { mcp: { task: 'optional' } })
    await bridge.other.ready()
    const lost = await begin(bridge, 'jobs__plain')
    const running = await begin(bridge, 'jobs__kept')
    await untilAnswer(
      () => plain.calls.length,
      (count) => count === 1,
    )
    await kept.reached
    await engine.restart({ state: 'keep' })
    const ask = () => get(bridge, running).catch(() => undefined)
    expect(await untilAnswer(ask, (task) => task !== undefined)).toMatchObject({ status: 'working' })
    expect(await over(bridge, lost)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringMatching(/unknown/) },
    })
    kept.pass('done')
    expect(await over(bridge, running)).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } })
    await askForResult(bridge, 'tasks/cancel', { taskId: running })
    expect(await get(bridge, running)).toMatchObject({ status: 'completed' })
  })

  it('is not given up while its bridge is away for a moment', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    const { taskId } = await beginJob(bridge)
    const rows = createStateScope<Record<string, unknown>>(bridge.other, 'mcp-tasks')
    const row = await rows.get(taskId)
    await rows.set('stray', { ...row, id: 'stray', via: 'mcp::elsewhere' })
    expect(await get(bridge, 'stray')).toMatchObject({ status: 'working' })
    expect(
      (await postWithTasks(bridge, 'tasks/update', { taskId: 'stray', inputResponses: {} })).message.error?.code,
    ).toBe(-32603)
  })
})

describe('tasks', () => {
  it('work in one process where the engine has no state', async () => {
    const fault = { fault: 'fail-call', function: 'state::*', code: 'function_not_found' } as const
    await using engine = await startMockEngine({ faults: [fault] })
    await using bridge = await startBridge(engine)
    bridge.other.registerFunction('jobs::quick', () => 'quick', TASK)
    await bridge.other.ready()
    expect(await over(bridge, await begin(bridge, 'jobs__quick'))).toMatchObject({ status: 'completed' })
  })
})

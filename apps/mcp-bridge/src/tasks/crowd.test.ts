import { startMockEngine } from '@iii/mock-engine'
import { createLog, createStateScope, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { EVERYBODY, type Principal } from '../auth/principal.ts'
import type { FunctionCall } from '../invocation/index.ts'
import { startInvoker, toCall } from '../testing/invoker.ts'
import { form, toTaskOptions } from '../testing/tasks.ts'
import { untilAnswer } from '../testing/until.ts'
import { serveTasks, TASKS_EXTENSION, type TasksOptions } from './index.ts'
import { TASK_SCOPES, type TaskRow } from './record.ts'
import { createTaskStore } from './store.ts'

const capabilities = { elicitation: {}, extensions: { [TASKS_EXTENSION]: {} } }
const OTHERS = toCall({ era: 'stateless', capabilities })
const ATTACHED = toCall({ era: 'stateless', capabilities, attached: true })

/** Tasks of functions that are done at once, that never are, and that ask. */
async function startTasks(engine: { readonly url: string }, own: Partial<TasksOptions>) {
  const functions = await startInvoker(engine)
  const worker = registerWorker(engine.url, { name: 'mcp', log: createLog({ name: 'mcp', level: 'silent' }) })
  const tasks = serveTasks({ ...toTaskOptions(worker), invoker: functions.invoker, ...own })
  const { other } = functions
  other.registerFunction('jobs::done', () => 'done')
  other.registerFunction('jobs::never', () => new Promise(() => undefined))
  const question = { ...form, params: { ...form.params, message: 'x'.repeat(100_000) } }
  other.registerFunction('jobs::asks', () => ({ result_type: 'input_required', input_requests: { a: question } }))
  await other.ready()

  async function begin(id: string, metadata: FunctionCall['pass']['metadata'] = { task: 'required' }, call = OTHERS) {
    const job = { invocation: functions.to(id, metadata), worker: undefined, hasOutputSchema: false, takes: [] }
    const begun = await tasks.begin(job, call, {})
    return begun && String(begun['taskId'])
  }
  const get = (taskId = '') => tasks.get({ taskId }, OTHERS)
  const isThere = (taskId = '') =>
    get(taskId).then(
      () => true,
      () => false,
    )
  async function finish() {
    const taskId = await begin('jobs::done')
    await untilAnswer(
      () => get(taskId),
      ({ status }) => status === 'completed',
    )
    return taskId
  }
  return {
    tasks,
    worker,
    begin,
    get,
    isThere,
    finish,
    cancel: (taskId = '') => tasks.cancel({ taskId }, OTHERS),
    async [Symbol.asyncDispose]() {
      tasks.close()
      await worker.shutdown()
      await functions[Symbol.asyncDispose]()
    },
  }
}

describe('tasks that run', () => {
  it('are bounded: beyond that a function that need not be one is called in the ordinary way, any other refused', async () => {
    await using engine = await startMockEngine()
    await using on = await startTasks(engine, { atOnce: 2 })
    const [first] = await Promise.all([on.begin('jobs::never'), on.begin('jobs::never')])
    await expect(on.begin('jobs::never')).rejects.toMatchObject({
      code: -32003,
      message: 'Too many tasks: this server runs 2 at once; try again when some are over',
    })
    expect(await on.begin('jobs::done', { task: 'optional' })).toBeUndefined()
    await on.cancel(first)
    expect(await on.begin('jobs::done', { task: 'optional' })).toBeDefined()
  })

  it('leave as much room for the client that started the process', async () => {
    await using engine = await startMockEngine()
    await using on = await startTasks(engine, { atOnce: 1 })
    await on.begin('jobs::never')
    await expect(on.begin('jobs::never')).rejects.toThrow(/Too many tasks/)
    expect(await on.begin('jobs::never', { task: 'required' }, ATTACHED)).toBeDefined()
    await expect(on.begin('jobs::never', { task: 'required' }, ATTACHED)).rejects.toThrow(/Too many tasks/)
  })
})

describe('tasks of one principal', () => {
  const toOwn = (name: string) => {
    const principal: Principal = { ...EVERYBODY, id: `token:${name}`, method: 'token' }
    return toCall({ era: 'stateless', capabilities, principal })
  }

  it('are bounded by its limit, and others begin theirs meanwhile', async () => {
    await using engine = await startMockEngine()
    const limitOf = ({ id }: Principal) => (id === 'token:ci' ? 2 : 3)
    await using on = await startTasks(engine, { atOnce: 4, limitOf })
    const [ci, desk] = [toOwn('ci'), toOwn('desk')]
    const required = { task: 'required' } as const
    const started = await Promise.allSettled([1, 2, 3].map(() => on.begin('jobs::never', required, ci)))
    expect(started.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    await expect(on.begin('jobs::never', required, ci)).rejects.toMatchObject({
      code: -32003,
      message: 'Too many tasks: this caller has 2 running, which is its limit; try again when some are over',
    })
    expect(await on.begin('jobs::done', { task: 'optional' }, ci)).toBeUndefined()
    expect(await on.begin('jobs::never', required, desk)).toBeDefined()
    expect(await on.begin('jobs::never', required, desk)).toBeDefined()
    await expect(on.begin('jobs::never', required, desk)).rejects.toThrow(/this server runs 4 at once/)
    const [first] = started
    await on.tasks.cancel({ taskId: first?.status === 'fulfilled' ? first.value : undefined }, ci)
    expect(await on.begin('jobs::never', required, ci)).toBeDefined()
  })
})

describe('tasks that are over', () => {
  it('give way to new ones, cancelled ones first, and nothing is left of them', async () => {
    await using engine = await startMockEngine()
    await using on = await startTasks(engine, { atOnce: 3, kept: 3 })
    const [first, second] = [await on.finish(), await on.finish()]
    const cancelled = await on.begin('jobs::never')
    await on.cancel(cancelled)
    const running = await on.begin('jobs::never')
    await untilAnswer(
      () => on.isThere(cancelled),
      (isThere) => !isThere,
    )
    expect([await on.isThere(first), await on.isThere(second)]).toEqual([true, true])
    const next = await on.begin('jobs::never')
    await untilAnswer(
      () => on.isThere(first),
      (isThere) => !isThere,
    )
    for (const id of [second, running, next]) expect(await on.isThere(id)).toBe(true)
    const results = createStateScope<unknown>(on.worker, TASK_SCOPES.results)
    await untilAnswer(
      () => results.list(),
      ({ length }) => length === 1,
    )
    expect(await createStateScope(on.worker, TASK_SCOPES.tasks).list()).toHaveLength(3)
  })

  it('give way when what came of them is too much together', async () => {
    await using engine = await startMockEngine()
    // What comes of one has fewer than 100 bytes, and of two more.
    await using on = await startTasks(engine, { keptBytes: 100 })
    const [first, second] = [await on.finish(), await on.finish()]
    await untilAnswer(
      () => on.isThere(first),
      (isThere) => !isThere,
    )
    expect(await on.isThere(second)).toBe(true)
    expect(await createStateScope<unknown>(on.worker, TASK_SCOPES.results).list()).toHaveLength(1)
  })

  it('leave nothing behind that their functions write later', async () => {
    await using engine = await startMockEngine()
    let time = 1_800_000_000_000
    await using on = await startTasks(engine, { kept: 1, now: () => time })
    const metadata = { task: 'required', keeps_result: true, timeout_ms: 1_000 } as const
    const cancelled = (await on.begin('jobs::never', metadata)) ?? ''
    await on.cancel(cancelled)
    await on.finish()
    const results = createStateScope<unknown>(on.worker, TASK_SCOPES.results)
    await results.set(cancelled, { value: 'late' })
    time += 1_001
    await on.finish()
    await untilAnswer(
      () => results.get(cancelled),
      (row) => row === undefined,
    )
  })
})

describe('what bridges read together', () => {
  it('is small: what a task asks is apart, and gone with its answer', async () => {
    await using engine = await startMockEngine()
    await using on = await startTasks(engine, {})
    const taskId = await on.begin('jobs::asks')
    await untilAnswer(
      () => on.get(taskId),
      ({ status }) => status === 'input_required',
    )
    const rows = createStateScope(on.worker, TASK_SCOPES.tasks)
    await untilAnswer(
      () => rows.list(),
      ([row]) => (row as TaskRow).status === 'input_required',
    )
    expect(JSON.stringify(await rows.list()).length).toBeLessThan(1_000)
    const elsewhere = await createTaskStore(on.worker, 2_000).get(taskId ?? '')
    expect(elsewhere?.input_requests).toMatchObject({ a: { method: 'elicitation/create' } })
    await on.cancel(taskId)
    expect(await createStateScope(on.worker, TASK_SCOPES.questions).list()).toEqual([])
  })

  it('is not more than so many rows after a look at them: what ran is kept, then what began last', async () => {
    await using engine = await startMockEngine()
    await using on = await startTasks(engine, {})
    const store = createTaskStore(on.worker, 2_000, 3)
    const toRow = (id: string, status: TaskRow['status'], created_at: number): TaskRow => ({
      id,
      status,
      created_at,
      updated_at: created_at,
      ttl_ms: 1_000,
      deadline_at: 1_000,
      via: 'mcp::gone',
      function_id: 'a::b',
      keeps_result: false,
      has_output_schema: false,
    })
    await store.save(toRow('old', 'working', 1))
    for (const at of [2, 3, 4]) await store.save(toRow(`over-${at}`, 'completed', at), { result: { content: [] } })
    await store.save(toRow('expired', 'working', -1_000))
    await store.sweep(100)
    const left = await createStateScope<TaskRow>(on.worker, TASK_SCOPES.tasks).list()
    expect(left.map(({ id }) => id).sort()).toEqual(['old', 'over-3', 'over-4'])
    expect(await createStateScope(on.worker, TASK_SCOPES.results).list()).toHaveLength(2)
  })
})

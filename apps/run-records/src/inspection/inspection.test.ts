import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type InspectionStage, startInspection } from '../testing/inspection-stage.ts'

const declared = {
  nightly: {
    description: 'Sums the orders up',
    targets: ['orders::summary'],
    inputs: { 'orders::collect': { limit: 5 } },
    input: { type: 'object', properties: { day: { type: 'string' } }, additionalProperties: false },
  },
  broken: { targets: ['orders::gone'] },
}

type Body = Record<string, never>
let stage: InspectionStage

beforeEach(async () => {
  stage = await startInspection({ declared })
  stage.serve('orders::collect', { 'runs.cache': { ttl_ms: 60_000 } }, { type: 'object' })
  stage.serve('orders::chart', { 'runs.depends_on': ['orders::collect'] })
  stage.serve('orders::summary', { 'runs.depends_on': ['orders::chart', 'orders::collect'] })
  stage.serve('orders::report', { 'runs.job': true, 'runs.record': 'digest' })
  stage.serve('orders::plumbing', { internal: true })
  stage.worker.registerTrigger({
    type: 'http',
    function_id: 'orders::report',
    config: { api_path: 'report', http_method: 'POST' },
  })
  await stage.worker.ready()
})
afterEach(() => stage[Symbol.asyncDispose]())

describe('list_tasks', () => {
  it('shows tasks with what they depend on and how they last went, and jobs with what they run', async () => {
    const run = await stage.record({ tasks: [{ id: 'orders::collect', status: 'failed' }], status: 'failed' })
    const { tasks, jobs } = await stage.ask<Record<string, Body[]>>('list_tasks')
    expect(tasks?.map(({ id }) => id)).toEqual([
      'orders::chart',
      'orders::collect',
      'orders::report',
      'orders::summary',
    ])
    expect(tasks?.[1]).toMatchObject({
      worker: 'orders',
      depends_on: [],
      triggers: [],
      cache: { ttl_ms: 60_000 },
      record: 'redacted',
      last_run: { run_id: run.id, status: 'failed' },
    })
    expect(tasks?.[2]).toMatchObject({ triggers: ['http'], record: 'digest' })
    expect(jobs).toMatchObject([
      { name: 'broken', runnable: false, tasks: [], problem: expect.stringContaining('orders::gone') },
      {
        name: 'nightly',
        declared: 'operator',
        runnable: true,
        tasks: ['orders::collect', 'orders::chart', 'orders::summary'],
        lock: 'default',
      },
      { name: 'orders::report', declared: 'metadata', tasks: ['orders::report'] },
    ])
  })

  it('goes on at a cursor, and says how much is left', async () => {
    for (let at = 0; at < 300; at += 1) stage.serve(`many::t${String(at).padStart(3, '0')}`)
    await stage.worker.ready()
    const first = await stage.ask<{ tasks: Body[]; cursor: string; left_out: number }>('list_tasks', { prefix: 'many' })
    expect([first.tasks.length, first.left_out]).toEqual([256, 44])
    const second = await stage.ask<{ tasks: Body[]; jobs: Body[] }>('list_tasks', {
      prefix: 'many',
      cursor: first.cursor,
    })
    expect(second.tasks).toHaveLength(44)
    expect(second).toMatchObject({ jobs: [] })
    expect(second).not.toHaveProperty('cursor')
  })
})

interface GraphPage {
  tasks: { id: string; dependents: string[] }[]
  execution_order: string[]
  edges: { to: string }[]
  cursor?: string
}

describe('graph', () => {
  it('of a job is its tasks in order, with who says so', async () => {
    const graph = await stage.ask('graph', { job: 'nightly' })
    expect(graph).toMatchObject({
      execution_order: ['orders::collect', 'orders::chart', 'orders::summary'],
      cycles: [],
      missing: [],
      coverage: { complete: false },
    })
    expect(graph).toMatchObject({
      tasks: [
        { id: 'orders::chart', depends_on: ['orders::collect'], dependents: ['orders::summary'] },
        { id: 'orders::collect', depends_on: [], dependents: ['orders::chart', 'orders::summary'] },
        { id: 'orders::summary', depends_on: ['orders::chart', 'orders::collect'], dependents: [] },
      ],
      edges: [
        { from: 'orders::chart', to: 'orders::summary', kind: 'depends', source: 'declared' },
        { from: 'orders::collect', to: 'orders::chart', kind: 'depends', source: 'declared' },
        { from: 'orders::collect', to: 'orders::summary', kind: 'depends', source: 'declared' },
      ],
    })
    expect(await stage.ask('graph', { job: 'nightly' })).toEqual(graph)
  })

  it('of everything has triggers, cycles and what is missing', async () => {
    stage.serve('eggs::egg', { 'runs.depends_on': ['eggs::hen'] })
    stage.serve('eggs::hen', { 'runs.depends_on': ['eggs::egg', 'eggs::cock'] })
    await stage.worker.ready()
    const graph = await stage.ask<{ edges: Body[] }>('graph')
    expect(graph).toMatchObject({
      cycles: [['eggs::egg', 'eggs::hen']],
      missing: [{ id: 'eggs::cock', needed_by: ['eggs::hen'] }],
    })
    expect(graph.edges).toContainEqual({
      from: 'http POST report',
      to: 'orders::report',
      kind: 'trigger',
      source: 'engine',
    })
    // A circle and what is missing are told to who looks at what they are about.
    const circle = { cycles: [['eggs::egg', 'eggs::hen']], missing: [{ id: 'eggs::cock' }] }
    expect(await stage.ask('graph', { prefix: 'eggs::h' })).toMatchObject({ tasks: [{ id: 'eggs::hen' }], ...circle })
    expect(await stage.ask('graph', { prefix: 'orders::' })).toMatchObject({ cycles: [], missing: [] })
  })

  it('is told a page at a time, each task and each edge once', async () => {
    const id = (at: number) => `chain::t${String(at).padStart(3, '0')}`
    for (let at = 0; at < 300; at += 1) stage.serve(id(at), at === 0 ? {} : { 'runs.depends_on': [id(at - 1)] })
    await stage.worker.ready()
    const all = Array.from({ length: 300 }, (_, at) => id(at))
    const first = await stage.ask<GraphPage>('graph', { prefix: 'chain::' })
    expect(first).toMatchObject({ left_out: 44, execution_order: all.slice(0, 256) })
    const { cursor } = first
    const second = await stage.ask<GraphPage>('graph', { prefix: 'chain::', cursor })
    expect(second).not.toHaveProperty('cursor')
    expect(second).not.toHaveProperty('left_out')
    const pages = [first, second]
    expect(pages.flatMap(({ tasks }) => tasks.map((task) => task.id))).toEqual(all)
    expect(pages.flatMap(({ execution_order }) => execution_order)).toEqual(all)
    expect(pages.flatMap(({ edges }) => edges.map(({ to }) => to))).toEqual(all.slice(1))
    // What a page does not show is named where something depends on it.
    expect(first.tasks.at(-1)).toMatchObject({ dependents: [id(256)] })
    expect(second.tasks[0]).toMatchObject({ depends_on: [id(255)] })
  })
})

describe('explain_task', () => {
  it('shows everything that is known of one', async () => {
    expect(await stage.ask('explain_task', { task: 'orders::collect' })).toMatchObject({
      request_schema: { type: 'object' },
      dependents: ['orders::chart', 'orders::summary'],
      jobs: ['nightly'],
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      cache: { enabled: true, policy: { ttl_ms: 60_000 } },
      gate: { shown: true },
      last_runs: [],
    })
    expect(await stage.ask('explain_task', { task: 'orders::report' })).toMatchObject({
      triggers: [{ type: 'http', from: 'http POST report' }],
      cache: { enabled: false, reason: 'no runs.cache in its metadata' },
    })
  })

  it('says which task may be meant, also by the name of its tool', async () => {
    for (const task of ['orders__report', 'orders::reprot']) {
      expect(await stage.fault('explain_task', { task })).toMatchObject({
        message: expect.stringMatching(
          /^There is no task '.*'\. Did you mean orders::report\b.*\? `iii-runs list`, or runs::list_tasks, shows/,
        ),
      })
    }
  })

  it.each(['orders::plumbing', 'state::get', 'runs::metadata', 'nobody::here'])('knows no task %s', async (task) => {
    expect(await stage.fault('explain_task', { task })).toMatchObject({
      code: 'not_found',
      message: `There is no task '${task}'. \`iii-runs list\`, or runs::list_tasks, shows the tasks`,
    })
  })
})

describe('metadata and doctor', () => {
  it('say how the worker is set and what is wrong', async () => {
    expect(await stage.ask('metadata')).toMatchObject({
      schema_version: 1,
      experimental: true,
      jobs: ['broken', 'nightly', 'orders::report'],
      capabilities: { allow_run: false, calls_recorded: true },
    })
    const { checks, verdict } = await stage.ask<{ verdict: string; checks: { check: string }[] }>('doctor')
    expect(verdict).toBe('problem')
    const of = (name: string) => checks.find(({ check }) => check === name)
    expect(of('jobs')).toMatchObject({ verdict: 'problem', summary: 'cannot be run: broken' })
    expect(of('calls')).toMatchObject({ verdict: 'warning', summary: 'no bridge on this engine tells of calls' })
    expect(of('locks')).toMatchObject({ verdict: 'ok', summary: 'none of these locks is held: default' })
    expect(of('stale runs')).toMatchObject({ verdict: 'ok' })
    await stage.record({ tasks: [], status: 'running', lock: { name: 'of-others', generation: 1 } })
    const later = await stage.ask<{ checks: { check: string }[] }>('doctor')
    expect(later.checks).toContainEqual(
      expect.objectContaining({
        check: 'stale runs',
        verdict: 'warning',
        advice: [expect.stringContaining('iii-runs gc')],
      }),
    )
    const { id, holder } = await stage.record({ tasks: [], status: 'running', lock: { name: 'lost', generation: 1 } })
    stage.serve(holder)
    await expect
      .poll(async () => (await stage.ask<{ checks: { summary: string }[] }>('doctor')).checks)
      .toContainEqual(expect.objectContaining({ check: 'stale runs', summary: expect.stringContaining(id) }))
    // A lock of a job that this worker does not know.
    expect(later.checks).toContainEqual(
      expect.objectContaining({ summary: 'none of these locks is held: default, of-others' }),
    )
  })
})

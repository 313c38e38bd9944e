import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunRecord, RunSummary } from '../record/run-record.ts'
import { type InspectionStage, startInspection } from '../testing/inspection-stage.ts'
import { isFitting, MAX_RESULT_BYTES } from './result-limit.ts'

let stage: InspectionStage

beforeEach(async () => {
  stage = await startInspection({ serves: 'orders::collect' })
})
afterEach(() => stage[Symbol.asyncDispose]())

describe('list_runs and read_run', () => {
  let runs: RunRecord[]

  beforeEach(async () => {
    runs = []
    for (const day of [1, 2, 3]) {
      const status = day === 2 ? 'failed' : 'passed'
      runs.push(
        await stage.record({
          status,
          job: day === 3 ? 'weekly' : 'nightly',
          tasks: [
            { id: 'orders::collect', input: { value: { day }, digest: `d${day}` } },
            { id: 'orders::chart', status, needs: { 'orders::collect': `r${day}` } },
          ],
        }),
      )
    }
  })

  it('list the newest first, by what is asked for, page by page', async () => {
    const ids = async (request: object) => {
      const { runs: entries, cursor } = await stage.ask<{ runs: { id: string }[]; cursor?: string }>(
        'list_runs',
        request,
      )
      return { at: entries.map(({ id }) => runs.findIndex((run) => run.id === id) + 1), cursor }
    }
    expect((await ids({})).at).toEqual([3, 2, 1])
    expect((await ids({ job: 'weekly' })).at).toEqual([3])
    expect((await ids({ status: 'failed' })).at).toEqual([2])
    expect((await ids({ task: 'orders::summary', kind: 'run' })).at).toEqual([])
    expect((await ids({ since: runs[1]?.started_at })).at).toEqual([3, 2])
    const elsewhere = runs[1]?.started_at.replace('Z', '+00:00')
    expect((await ids({ since: elsewhere })).at).toEqual([3, 2])
    const { at, cursor } = await ids({ limit: 2 })
    expect(at).toEqual([3, 2])
    expect((await ids({ limit: 2, cursor })).at).toEqual([1])
  })

  it('tell what a task would have waited for that was skipped', async () => {
    const skipped = { status: 'skipped' as const, depends_on: ['orders::collect'] }
    const { id } = await stage.record({
      status: 'failed',
      tasks: [
        { id: 'orders::collect', status: 'failed' },
        { id: 'orders::chart', ...skipped },
      ],
    })
    expect(await stage.ask('read_run', { run_id: id })).toMatchObject({
      graph: {
        execution_order: ['orders::collect', 'orders::chart'],
        edges: [{ from: 'orders::collect', to: 'orders::chart', kind: 'depends', source: 'record' }],
      },
    })
  })

  it('are found by the name of the tool, and not said to be none of a name that is misspelt', async () => {
    const { id } = await stage.record({ tasks: [{ id: 'gone::by' }] })
    for (const task of ['gone::by', 'gone__by']) {
      expect(await stage.ask('list_runs', { task })).toMatchObject({ runs: [{ id }] })
    }
    for (const [query, message] of [
      [{ task: 'orders__colect' }, /^There is no task 'orders::colect'\. Did you mean orders::collect/],
      [{ job: 'nightli' }, /^There is no job 'nightli'\. /],
    ] as const) {
      expect(await stage.fault('list_runs', query)).toMatchObject({
        code: 'not_found',
        message: expect.stringMatching(message),
      })
    }
    expect(await stage.ask('list_runs', { task: 'skills::fetch_skill' })).toEqual({ runs: [] })
  })

  it('are found by each of their tasks, of which a list names the first', async () => {
    const tasks = Array.from({ length: 100 }, (_, at) => ({ id: `steps::${at}`, input: { value: { at } } }))
    const { id } = await stage.record({ tasks })
    const { runs: found } = await stage.ask<{ runs: RunSummary[] }>('list_runs', { task: 'steps::99' })
    expect(found).toMatchObject([{ id, task_count: 100 }])
    expect(found[0]?.tasks).toHaveLength(64)
    await stage.record({ tasks: tasks.map((task) => ({ ...task, input: { value: { at: 0 } } })) })
    expect(await stage.ask('diff_inputs', { task: 'steps::99' })).toMatchObject({ changed: ['/at'] })
  })

  it('put on a page what can be sent, and the rest on the pages behind', async () => {
    const value = 'x'.repeat(60_000)
    const calls = Array.from({ length: 25 }, (_, at) => ({
      kind: 'call' as const,
      id: `call ${at}`,
      asked: 'tool' as const,
      tool: 'orders__collect',
      function_id: 'orders::collect',
      started_at: new Date(2_000_000_000_000 + at).toISOString(),
      duration_ms: 1,
      outcome: 'ok' as const,
      input: { value, bytes: value.length },
    }))
    const told = calls.map(({ id }) => id).reverse()
    await stage.store.calls.add(calls, 'k')
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page = await stage.ask<{ runs: { id: string }[]; cursor?: string }>('list_runs', { limit: 100, cursor })
      expect(isFitting(page, MAX_RESULT_BYTES)).toBe(true)
      expect(page).not.toHaveProperty('left_out')
      found.push(...page.runs.map(({ id }) => id))
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(found).toEqual([...told, ...runs.map(({ id }) => id).reverse()])
  })

  it('show a record with receipts and its graph', async () => {
    const [run] = runs
    expect(await stage.ask('read_run', { run_id: run?.id })).toMatchObject({
      record: run,
      receipts: [{ task: 'orders::collect', decision: 'miss', reason: 'never passed' }, { task: 'orders::chart' }],
      context_packs: [],
      graph: { execution_order: ['orders::collect', 'orders::chart'], edges: [{ kind: 'depends', source: 'record' }] },
    })
  })

  it('leave out the largest values of a record that is too large to be sent', async () => {
    const output = (bytes: number) => ({ value: 'x'.repeat(bytes), bytes })
    const run = await stage.record({
      tasks: [
        { id: 'orders::collect', output: output(700_000) },
        { id: 'orders::chart', output: output(1_000) },
      ],
    })
    const answer = await stage.ask<{ record: RunRecord; left_out: number }>('read_run', { run_id: run.id })
    expect(answer.record.tasks.map((task) => task.output?.omitted)).toEqual(['too_large', undefined])
    expect(answer.left_out).toBe(1)
  })

  it('can be sent whatever makes a record too large', async () => {
    const ids = Array.from({ length: 256 }, (_, at) => `orders::task-${at}`)
    const needs = (n: number) => Object.fromEntries(ids.slice(0, n).map((id) => [id, 'd'.repeat(32)]))
    const tangled = await stage.record({ tasks: ids.map((id, n) => ({ id, needs: needs(n) })) })
    const failed = await stage.record({ tasks: ids.slice(0, 20).map((id) => ({ id })) })
    for (const [number, task] of failed.tasks.entries()) {
      const pack = { task: task.id, error: { code: 'internal', message: '' }, reproduce: 'x'.repeat(60_000) }
      await stage.store.runs.writeTask(failed.id, number, { task, pack })
    }
    const read = (run_id: string) => stage.ask<{ record: RunRecord; context_packs: unknown[] }>('read_run', { run_id })
    for (const { id } of [tangled, failed]) expect(isFitting(await read(id), MAX_RESULT_BYTES)).toBe(true)
    expect((await read(failed.id)).record.tasks).toHaveLength(20)
    expect((await read(failed.id)).context_packs.length).toBeGreaterThan(3)
  })

  it.each([
    ['list_runs', { limit: 0 }],
    ['list_runs', { limit: 101 }],
    ['list_runs', { cursor: '../../etc/passwd' }],
    ['list_runs', { cursor: 'r9.x-c' }],
    ['list_runs', { since: 'yesterday' }],
    ['list_runs', { whatever: 1 }],
    ['list_tasks', { cursor: '' }],
    ['list_tasks', { cursor: 'nonsense' }],
    ['graph', { cursor: 'nonsense' }],
    ['graph', { cursor: btoa('job nightly') }],
    ['list_tasks', { cursor: `${btoa('task a::b')}A` }],
    ['list_tasks', { prefix: 'a\u0000' }],
    ['list_tasks', { cursor: 'a::b\n' }],
    ['list_runs', { job: '\u001b[31mred' }],
    ['list_runs', { task: 'a::b\u0085' }],
    ['graph', { job: '\u0000' }],
    ['graph', { prefix: 'a\u001b[31m' }],
    ['explain_task', { task: 'a::b\r' }],
    ['diff_inputs', { task: '\u0007' }],
    ['read_run', {}],
    ['read_run', { run_id: 'latest' }],
    ['read_run', { run_id: '../runs' }],
    ['diff_inputs', { task: 'a::b', against: 'x' }],
    ['diff_inputs', { task: 'a::b', run_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', input: {} }],
    ['metadata', { verbose: true }],
  ])('%s refuses %j', async (name, request) => {
    expect(await stage.fault(name, request)).toMatchObject({ code: 'invalid_input' })
  })

  it('say that a run is not there, and that nobody is mine', async () => {
    const run_id = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    expect((await stage.fault('read_run', { run_id })).message).toMatch(/^There is no run 01ARZ3/)
    expect((await stage.fault('list_runs', { mine: true })).message).toContain("'mine' cannot be answered")
  })
})

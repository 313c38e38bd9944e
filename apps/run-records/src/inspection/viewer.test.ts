import type { SeenFrame } from '@iii/mock-engine'
import type { VisibleAnswer } from '@iii/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type InspectionStage, startInspection } from '../testing/inspection-stage.ts'
import { INSPECTIONS } from './inspection.ts'
import { createClientViewer } from './viewer.ts'

const declared = {
  open: { targets: ['orders::summary'] },
  half: { targets: ['orders::secret-sum'] },
  closed: { targets: ['vault::open'] },
}
const CLIENT = { mcp: { call_id: 'c1', via: 'mcp::b1' } }

let stage: InspectionStage
/** What the bridge is asked, and what it answers. */
let asked: unknown[]
let answer: VisibleAnswer | Error

beforeEach(async () => {
  stage = await startInspection({ declared, hiddenPrefixes: ['vault::'] })
  asked = []
  answer = { visible: ['orders::collect', 'orders::summary', 'orders::off'], session: 's1' }
  stage.serve('orders::collect', { 'mcp.expose': true })
  stage.serve('orders::summary', { 'runs.depends_on': ['orders::collect'] })
  stage.serve('orders::secret-sum', { 'runs.depends_on': ['orders::secret'] })
  stage.serve('orders::secret')
  stage.serve('orders::off', { 'mcp.expose': false })
  stage.serve('vault::open')
  stage.worker.registerFunction('mcp::b1::visible', (request) => {
    asked.push(request)
    if (answer instanceof Error) throw answer
    return answer
  })
  await stage.worker.ready()
})
afterEach(() => stage[Symbol.asyncDispose]())

const tasksOf = async (metadata?: unknown) => {
  const { tasks, jobs } = await stage.ask<Record<'tasks' | 'jobs', Record<'id' | 'name', string>[]>>(
    'list_tasks',
    {},
    metadata,
  )
  return { tasks: tasks.map(({ id }) => id), jobs: jobs.map(({ name }) => name) }
}

describe('a client of a bridge', () => {
  it('is shown what its bridge, the operator and the functions allow; the operator is shown everything', async () => {
    expect(await tasksOf(CLIENT)).toEqual({ tasks: ['orders::collect', 'orders::summary'], jobs: ['open'] })
    expect(asked).toMatchObject([
      { call_id: 'c1', function_ids: expect.not.arrayContaining(['vault::open', 'orders::off']) },
    ])
    expect((await tasksOf()).jobs).toEqual(['closed', 'half', 'open'])
    expect((await tasksOf()).tasks).toContain('vault::open')
  })

  it('is told of hidden tasks and jobs as of those that are not there', async () => {
    for (const [name, request] of [
      ['explain_task', { task: 'orders::secret' }],
      ['diff_inputs', { task: 'vault::open' }],
      ['graph', { job: 'half' }],
      ['graph', { job: 'closed' }],
    ] as const) {
      const fault = await stage.fault(name, request, CLIENT)
      expect(fault.code).toBe('not_found')
      expect(fault.message).toMatch(/^There is no (task|job) '/)
    }
    stage.serve('orders::curious', { 'runs.depends_on': ['orders::secret', 'orders::collect'] })
    answer = { visible: ['orders::curious', 'orders::collect'] }
    await stage.worker.ready()
    const text = JSON.stringify([
      await stage.ask('graph', {}, CLIENT),
      await stage.ask('list_tasks', {}, CLIENT),
      await stage.ask('explain_task', { task: 'orders::curious' }, CLIENT),
      await stage.ask('doctor', {}, CLIENT),
      await stage.ask('metadata', {}, CLIENT),
    ])
    expect(text).toContain('orders::curious')
    expect(text).not.toMatch(/secret|vault|half|closed/)
  })

  it('sees only what says mcp.expose: true, where its bridge does not answer', async () => {
    answer = new Error('no')
    expect(await tasksOf(CLIENT)).toEqual({ tasks: ['orders::collect'], jobs: [] })
    expect(await tasksOf({ mcp: { call_id: 'c1', via: 'mcp::nobody' } })).toEqual({
      tasks: ['orders::collect'],
      jobs: [],
    })
    expect(await tasksOf({ mcp: 'malformed' })).toEqual({ tasks: ['orders::collect'], jobs: [] })
  })

  it('is shown runs whose tasks it may see, and asks for its own', async () => {
    const seen = await stage.record({ tasks: [{ id: 'orders::collect' }], session: 's1' })
    const other = await stage.record({ tasks: [{ id: 'orders::collect' }], session: 's2' })
    const hidden = await stage.record({ tasks: [{ id: 'orders::secret' }] })
    const somebody = await stage.record({ tasks: [{ id: 'orders::collect' }], principal: 'ada' })
    const ids = async (request = {}) =>
      (await stage.ask<{ runs: { id: string }[] }>('list_runs', request, CLIENT)).runs.map(({ id }) => id)
    expect(await ids()).toEqual([other.id, seen.id])
    expect(await ids({ mine: true })).toEqual([seen.id])
    for (const { id } of [hidden, somebody]) {
      expect((await stage.fault('read_run', { run_id: id }, CLIENT)).code).toBe('not_found')
    }
    answer = { visible: ['orders::collect'], principal: 'ada', session: 's9' }
    expect(await ids()).toEqual([somebody.id])
    expect(await ids({ mine: true })).toEqual([somebody.id])
    expect((await stage.fault('read_run', { run_id: seen.id }, CLIENT)).code).toBe('not_found')
    answer = { visible: ['orders::collect'], principal: 'ada', runs: 'own' }
    expect(await ids()).toEqual([somebody.id])
  })

  it('is shown a run that has not told all its tasks where it may see the job', async () => {
    const open = await stage.record({ job: 'open', status: 'running', tasks: [], task_count: 2 })
    const started = { status: 'running', input: { value: { of: 'hidden' } } } as const
    const hidden = [
      await stage.record({ job: 'half', tasks: [], task_count: 2, ...started }),
      await stage.record({ job: 'half', tasks: [{ id: 'orders::collect' }], task_count: 2, ...started }),
      await stage.record({ job: 'of another file', tasks: [], task_count: 1, ...started }),
    ]
    const { runs } = await stage.ask<{ runs: { id: string }[] }>('list_runs', {}, CLIENT)
    expect(runs.map(({ id }) => id)).toEqual([open.id])
    for (const { id } of hidden) {
      expect((await stage.fault('read_run', { run_id: id }, CLIENT)).code).toBe('not_found')
    }
    expect(await stage.ask('read_run', { run_id: hidden[0]?.id })).toMatchObject({ record: started })
  })

  it('is told of others, in what is in order and what is not, not how many runs they have', async () => {
    await stage.record({ tasks: [{ id: 'orders::collect' }], principal: 'bob' })
    const textOf = async () => JSON.stringify(await stage.ask('doctor', {}, CLIENT))
    answer = { visible: ['orders::collect'], principal: 'ada', runs: 'own' }
    expect(await textOf()).toMatch(/"summary":"at most \d+ runs, \d+ calls/)
    for (const runs of ['all', undefined] as const) {
      answer = { visible: ['orders::collect'], ...(runs && { principal: 'ada', runs }) }
      expect(await textOf()).toMatch(/"summary":"1 of \d+ runs \([^)]+\), 0 of \d+ calls/)
    }
  })

  it('is shown the runs of others that its grant lets it see, and still none of hidden tasks', async () => {
    const own = await stage.record({ tasks: [{ id: 'orders::collect' }], principal: 'ada' })
    const other = await stage.record({ tasks: [{ id: 'orders::collect' }], principal: 'bob' })
    const nobody = await stage.record({ tasks: [{ id: 'orders::collect' }] })
    const hidden = await stage.record({ tasks: [{ id: 'orders::secret' }], principal: 'bob' })
    answer = { visible: ['orders::collect'], principal: 'ada', runs: 'all' }
    const ids = async (request = {}) =>
      (await stage.ask<{ runs: { id: string }[] }>('list_runs', request, CLIENT)).runs.map(({ id }) => id)
    expect(await ids()).toEqual([nobody.id, other.id, own.id])
    expect(await ids({ mine: true })).toEqual([own.id])
    expect((await stage.fault('read_run', { run_id: hidden.id }, CLIENT)).code).toBe('not_found')
  })
})

describe('all questions together', () => {
  const HOSTILE = [
    '__proto__',
    '../../../etc/passwd',
    "'; drop table runs; --",
    'state::set',
    'orders::collect',
    '\u0000',
    'x'.repeat(1024),
  ]
  const READS =
    /^(?:engine::(?:functions|triggers|registered-triggers)::(?:list|info)|state::get|configuration::get|mcp::b1::visible)$/

  it('call no function of a worker and write nothing, whatever they are asked', async () => {
    const run = await stage.record({ tasks: [{ id: 'orders::collect' }] })
    const frames: SeenFrame[] = []
    const stop = stage.engine.onFrame((frame) => void frames.push(frame))
    const requests = [
      {},
      ...HOSTILE.flatMap((text) => [
        { task: text },
        { job: text },
        { prefix: text },
        { cursor: text },
        { run_id: text },
        { task: text, against: text },
        { task: text, input: { [text]: text } },
        { since: text, mine: true },
      ]),
      { run_id: run.id },
      { task: 'orders::collect', run_id: run.id, against: run.id },
    ]
    for (const name of Object.keys(INSPECTIONS)) {
      for (const request of requests) {
        for (const metadata of [undefined, CLIENT]) await stage.ask(name, request, metadata).catch(() => undefined)
      }
    }
    stop()
    const called = frames
      .filter(({ direction, frame }) => direction === 'in' && frame['type'] === 'invokefunction')
      .map(({ frame }) => String(frame['function_id']))
    const own = called.filter((id) => !id.startsWith('runs::'))
    expect(own.length).toBeGreaterThan(300)
    expect([...new Set(own)].filter((id) => !READS.test(id))).toEqual([])
    expect(stage.calls).toEqual([])
    const registered = frames.filter(
      ({ direction, frame }) => direction === 'in' && /^(un)?register/.test(String(frame['type'])),
    )
    expect(registered).toEqual([])
  })
})

it('the bridge of a client is asked where it is', async () => {
  const requests: unknown[] = []
  const trigger = async (request: unknown) => {
    requests.push(request)
    return { visible: [] }
  }
  const sidecar = { call_id: 'c1', via: 'mcp::b1', via_namespace: 'orders' }
  await createClientViewer({ trigger: trigger as never }, sidecar, [])(new Map())
  expect(requests).toMatchObject([{ function_id: 'mcp::b1::visible', namespace: 'orders' }])
})

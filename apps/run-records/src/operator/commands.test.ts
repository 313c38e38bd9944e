import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { STATE_SCOPES } from '@iii/protocol'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { createCapture } from '@iii/sdk/cli'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { INSPECTIONS } from '../inspection/inspection.ts'
import { JobDeclarations } from '../jobs/declaration.ts'
import { ORDERS_JOBS, type OrdersLog, serveOrderJobs } from '../testing/orders.ts'
import { DEFAULTS } from '../testing/run-stage.ts'
import { serveRuns } from '../worker.ts'
import { createRunsCommands } from './commands.ts'

const log = createLog({ name: 'test', level: 'silent' })
const BEHIND_CHART = Buffer.from('task orders::chart').toString('base64url')

let engine: MockEngine
let orders: Worker
let worker: Worker
let served: OrdersLog
let folder: string
let config: string

beforeAll(async () => {
  engine = await startMockEngine()
  folder = await mkdtemp(join(tmpdir(), 'iii-runs-'))
  config = join(folder, 'runs.yaml')
  await writeFile(config, stringify({ jobs: ORDERS_JOBS }))
  orders = registerWorker(engine.url, { name: 'orders', log })
  worker = registerWorker(engine.url, { name: 'runs', log })
  served = serveOrderJobs(orders)
  const value = { ...DEFAULTS, jobs: JobDeclarations.parse(ORDERS_JOBS) }
  serveRuns(worker, { value, locked: undefined, onChange: () => () => {} }, log)
  await Promise.all([orders.ready(), worker.ready()])
})
afterAll(async () => {
  await Promise.all([orders.shutdown(), worker.shutdown()])
  await engine.close()
  await rm(folder, { recursive: true })
})

async function run(argv: readonly string[], { signal, columns }: { signal?: AbortSignal; columns?: number } = {}) {
  const [stdout, stderr] = [createCapture(columns), createCapture()]
  const interrupt = { listen: () => signal ?? new AbortController().signal }
  const code = await createRunsCommands(() => interrupt).run({
    argv: [...argv, '--config', config],
    env: { III_URL: engine.url, NO_COLOR: '1' },
    version: '1.2.3',
    streams: { stdout, stderr },
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}
const json = async (argv: readonly string[]) => {
  const { stdout, stderr } = await run([...argv, '--json'])
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Record<string, unknown>
}
const tool = (name: string, payload: object = {}) =>
  orders.trigger<Record<string, unknown>>({ function_id: `runs::${name}`, payload })

describe('run', () => {
  it('shows the tasks as they go, prints the record, and takes what it can from the cache', async () => {
    const first = await run(['run', 'orders-summary', '--input', '{"day":"today"}'])
    expect(first).toMatchObject({ code: 0 })
    expect(first.stderr).toMatch(/^run [0-9A-Z]{26}; Ctrl-C cancels it\n\[/)
    expect(first.stderr).toMatch(/\[3\/3\] orders::summary: passed \(\d+ ms\)/)
    expect(first.stdout).toMatch(/^run [0-9A-Z]{26}\norders-summary [0-9A-Z]{26}: passed \(cli, /)
    expect(first.stdout).toMatch(/orders::collect +passed +\d+ ms +miss +never passed/)
    expect(served.calls.map(({ id }) => id)).toEqual(['orders::collect', 'orders::chart', 'orders::summary'])
    expect(served.calls[2]?.payload).toEqual({ day: 'today' })

    const second = await json(['run', 'orders-summary', '--input', '{"day":"tomorrow"}'])
    expect(second).toMatchObject({
      via: 'cli',
      exit_code: 0,
      tasks: [
        { id: 'orders::collect', status: 'cached', cache: { decision: 'hit' } },
        { id: 'orders::chart', status: 'passed', cache: { decision: 'disabled' } },
        { id: 'orders::summary', status: 'passed', cache: { decision: 'miss', reason: 'input changed: /day' } },
      ],
    })
    expect(await json(['read', 'latest'])).toMatchObject({ record: second })
    expect((await run(['diff', 'orders::summary'])).stdout).toMatch(/\n {2}input changed: \/day\n.*same result/s)
    const { runs } = await json(['runs', '--job', 'orders-summary', '--limit', '1'])
    expect(runs).toMatchObject([{ id: second['id'], status: 'passed' }])
  })

  it('ends with the code of the run, and says what failed', async () => {
    const failed = await run(['run', 'failing'])
    expect(failed.code).toBe(1)
    expect(failed.stdout).toMatch(/^run \S+\nfailing \S+: failed/)
    const read = await run(['read', 'latest'])
    expect(read.stdout).toContain('What failed\n  orders::broken: ')
    expect(read.stdout).toMatch(/again: iii-runs run failing/)
  })

  it.each([
    [['run', 'nothing'], 3, 'No such job: nothing; jobs are declared in the file that --config names'],
    [['run', 'orders-summary', '--input', '{"day":1}'], 2, 'input.day: must be a string, not a number'],
    [['run', 'orders-summary', '--input', '{day: 1}'], 2, "--input: is no JSON ('{day: 1}')"],
    [['run', 'orders-summary', '--input', '[1]'], 2, "--input: must be an object ('[1]')"],
    [['run', 'orders-summary', '--input', ''], 2, '--input: is no JSON'],
    [['run'], 2, 'run needs JOB'],
    [['read', 'x'], 2, 'run_id: '],
    [['read', '01ARZ3NDEKTSV4RRFFQ69G5FAV'], 3, 'There is no run 01ARZ3'],
    [['explain', 'orders::nobody'], 3, "There is no task 'orders::nobody'"],
    [['diff', 'orders::nobody'], 3, "There is no task 'orders::nobody'"],
    [['diff', 'orders::nobody', '--input', '{}'], 3, "There is no task 'orders::nobody'"],
    [['graph', 'nothing'], 3, "There is no job 'nothing'. `iii-runs list`, or runs::list_tasks, shows the jobs"],
    [['graph', '--cursor', 'nonsense'], 2, 'cursor: must be the cursor that a list has given'],
    [['list', '--cursor', 'orders::chart'], 2, 'cursor: must be the cursor that a list has given'],
    [['list', '--format', 'dot'], 2, 'list knows no --format'],
    [['graph', '--format', 'svg'], 2, '--format: must be one of "dot", "mermaid"'],
    [['runs', '--limit', '0'], 2, '--limit: must be at least 1'],
    [['cancel', 'x'], 2, "'x' is no run"],
    [['unlock', '../x'], 2, "'../x' is no lock"],
    [['list', '--force'], 2, 'list knows no --force'],
    [['run', 'orders-summary', '--allow-run'], 2, 'run knows no --allow-run'],
  ])('%j ends with %i', async (argv, code, text) => {
    const result = await run(argv)
    expect(result.stderr).toContain(text)
    expect(result.code).toBe(code)
    expect(result.stdout).toBe('')
  })

  it('is one at a time, and Ctrl-C finishes its record', async () => {
    const controller = new AbortController()
    const slow = run(['run', 'slow', '--json'], { signal: controller.signal })
    await served.slow
    const { runs } = await json(['runs', '--status', 'running'])
    const [{ id }] = runs as [{ id: string }]
    const refused = await run(['run', 'orders-summary'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(`The lock 'default' belongs to run ${id}`)
    expect((await run(['unlock', 'default'])).stderr).toMatch(/which lives .* or say --force/)
    controller.abort({ exitCode: 130 })
    const { code, stdout } = await slow
    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({ id, status: 'cancelled', exit_code: 130 })
    expect(await json(['read', id])).toMatchObject({ record: { status: 'cancelled' } })
    expect((await run(['cancel', id])).stderr).toContain('has ended already: cancelled')
    served.finishSlow()
    expect((await run(['unlock', 'default'])).stdout).toBe('nobody has the lock default\n')
  })

  it('says that unlock has removed a row that somebody else wrote', async () => {
    const row = { scope: STATE_SCOPES.runs.locks, key: 'default', value: { c1: 'rubbish' } }
    await worker.trigger({ function_id: 'state::set', payload: row })
    expect((await run(['run', 'orders-summary'])).stderr).toContain('remove it with `iii-runs unlock default`')
    expect(await json(['unlock', 'default'])).toEqual({ lock: 'default', unlocked: true, foreign_row: true })
    await worker.trigger({ function_id: 'state::set', payload: row })
    expect((await run(['unlock', 'default'])).stdout).toContain('somebody else had written in its row is removed')
    expect(await run(['run', 'orders-summary'])).toMatchObject({ code: 0 })
  })
})

describe('every question', () => {
  it('is answered as by the tool', async () => {
    const [run_id] = ((await tool('list_runs')) as { runs: { id: string }[] }).runs.map(({ id }) => id)
    const cases: [string[], string, object?][] = [
      [['list'], 'list_tasks'],
      [['list', 'orders::c'], 'list_tasks', { prefix: 'orders::c' }],
      [['graph'], 'graph'],
      [['graph', 'orders-summary'], 'graph', { job: 'orders-summary' }],
      [
        ['graph', '--prefix', 'orders::c', '--cursor', BEHIND_CHART],
        'graph',
        { prefix: 'orders::c', cursor: BEHIND_CHART },
      ],
      [['explain', 'orders::summary'], 'explain_task', { task: 'orders::summary' }],
      [['metadata'], 'metadata'],
      [['runs'], 'list_runs'],
      [['runs', '--limit', '2', '--status', 'passed'], 'list_runs', { limit: 2, status: 'passed' }],
      [['read', run_id ?? ''], 'read_run', { run_id }],
      [['diff', 'orders::summary'], 'diff_inputs', { task: 'orders::summary' }],
      [['diff', 'orders::summary', '--input', '{"a":1}'], 'diff_inputs', { task: 'orders::summary', input: { a: 1 } }],
    ]
    expect(new Set([...cases.map(([, name]) => name), 'doctor'])).toEqual(new Set(Object.keys(INSPECTIONS)))
    for (const [argv, name, request] of cases) expect(await json(argv)).toEqual(await tool(name, request))
  })

  it('of the doctor is answered as by the tool, and then what is around the worker', async () => {
    const [told, { checks }] = [await json(['doctor']), await tool('doctor')]
    const around = ['environment', 'spans', 'names', 'namespaces'].map((check) =>
      expect.objectContaining({ check, verdict: 'ok' }),
    )
    expect(told['checks']).toEqual([...(checks as object[]), ...around])
  })

  it('of the doctor finds another worker with name or functions of this one', async () => {
    await using newer = await startMockEngine({ engine: '0.23', namespaceGraceMs: 50 })
    await using other = registerWorker(newer.url, { name: 'runs', log })
    other.registerFunction('elsewhere::f', () => null)
    await other.ready()
    const { stdout } = await run(['doctor', '--url', newer.url], { columns: 400 })
    expect(stdout).toContain("has the name 'runs' and none of the functions of a worker 'runs'")
    expect(stdout).toMatch(/^warning {2}namespaces .*the engine waits less than 1 s/m)
  })

  it('has words for people', async () => {
    const lines = ['list', 'graph', 'explain orders::chart', 'metadata', 'runs', 'doctor', 'gc', 'cache clear']
    const texts = await Promise.all(lines.map((line) => run(line.split(' '), { columns: 100 })))
    for (const { stdout, stderr } of texts) {
      expect(stderr).toBe('')
      expect(stdout).toMatch(/\n$/)
      expect(stdout).not.toMatch(/undefined|\[object/)
    }
    expect(texts[0]?.stdout).toContain('orders::collect → orders::chart → orders::summary')
    expect(texts[1]?.stdout).toMatch(/^Order\n {2}orders::broken\n/)
    expect(texts[5]?.stdout).toMatch(/^warning {2}state +records, cache and locks are in the memory/m)
  })

  it('is drawn as a whole, however many pages it has', async () => {
    const ids = Array.from({ length: 300 }, (_, at) => `wide::t${at}`)
    const wide = registerWorker(engine.url, { name: 'wide', log })
    for (const id of ids) wide.registerFunction(id, () => undefined)
    await wide.ready()
    const drawn = (await run(['graph', '--prefix', 'wide::', '--format', 'dot'])).stdout
    expect(drawn.match(/"wide::t\d+";/g)).toHaveLength(ids.length)
    const told = await run(['graph', '--prefix', 'wide::'])
    expect(told.stdout).toMatch(/\n44 more: the same with --cursor [\w-]+\n$/)
    const jobs = await run(['list', 'wide::', '--cursor', btoa('job nn')])
    expect(jobs.stdout).toMatch(/^JOB .+\norders-(.+\n)+\nno more tasks\n$/)
    await wide.shutdown()
  })

  it('is drawn', async () => {
    expect((await run(['graph', 'orders-summary', '--format', 'mermaid'])).stdout).toBe(
      [
        'flowchart TD',
        '  n0["orders::chart"]',
        '  n1["orders::collect"]',
        '  n2["orders::summary"]',
        '  n0 --> n2',
        '  n1 --> n0',
        '  n1 --> n2',
        '',
      ].join('\n'),
    )
    const both = await run(['graph', '--format', 'json', '--format', 'dot'])
    expect(both).toMatchObject({ code: 2, stderr: 'iii-runs: --json and --format dot exclude each other\n' })
    expect((await run(['graph', 'orders-summary', '--format', 'dot'])).stdout).toContain(
      '  "orders::collect" -> "orders::chart";\n',
    )
  })
})

describe('a command', () => {
  it('is on the engine under its own name, and leaves again', async () => {
    const names: unknown[] = []
    const stop = engine.onFrame(({ frame }) => {
      const { type, function_id: id, data } = frame as { type: string; function_id?: string; data?: { name?: unknown } }
      if (type === 'invokefunction' && id === 'engine::workers::register') names.push(data?.name)
    })
    await run(['cache', 'clear'])
    stop()
    expect(names).toEqual([expect.stringMatching(/^iii-runs:cache-clear-[0-9a-f]{8}$/)])
  })
})

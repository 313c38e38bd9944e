import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { CLIENT_KINDS, type ConnectedClient } from '../clients.ts'
import { runInspector } from '../inspector.ts'
import { runsCommand, stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const JOBS = fileURLToPath(new URL('../sample-worker/runs.yaml', import.meta.url))
const INSPECTIONS = [
  'runs__diff_inputs',
  'runs__doctor',
  'runs__explain_task',
  'runs__graph',
  'runs__list_runs',
  'runs__list_tasks',
  'runs__metadata',
  'runs__read_run',
]

const cleanup = createCleanup()
let stack: Stack
let client: ConnectedClient

beforeAll(async () => {
  const runsFlags = ['--config', JOBS, '--allow-run']
  stack = cleanup.use(await startStack({ workers: ['bridge', 'orders', 'runs'], runsFlags }))
  client = cleanup.use(await stack.connect('sdk 1.x'))
  await client.listTools()
  const lines = [{ sku: 'TEA', quantity: 2, unit_price: 450 }]
  await client.callTool('orders__create', { customer: 'Ada', currency: 'EUR', lines })
})
afterAll(() => cleanup.run())

type Body = Record<string, unknown>

async function call(name: string, args: Body = {}, by = client): Promise<Body> {
  const { structuredContent, isError, content } = await by.callTool(name, args)
  if (isError) throw new Error(content[0]?.text)
  return structuredContent as Body
}

async function command(...args: string[]) {
  const { code, stdout, stderr } = await runToEnd(runsCommand(stack.engineUrl, [...args, '--config', JOBS]))
  return { code, stdout, stderr }
}

async function printed(...args: string[]): Promise<Body> {
  const { stdout, stderr } = await command(...args, '--json')
  return stdout === '' ? { stderr } : (JSON.parse(stdout) as Body)
}

for (const kind of CLIENT_KINDS) {
  scenario(['runs/tools'], `${kind} finds the tools about runs and gets what their schemas promise`, async () => {
    await using other = await stack.connect(kind)
    const tools = (await other.listTools()).filter(({ name }) => name.startsWith('runs__'))
    expect(tools.map(({ name }) => name).sort()).toEqual([...INSPECTIONS, 'runs__run_job'].sort())
    // Clients check what they get against the schemas that they have listed.
    const args: Record<string, Body> = {
      runs__explain_task: { task: 'orders::summary' },
      runs__diff_inputs: { task: 'orders::summary' },
    }
    for (const { name, annotations, inputSchema, outputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: name !== 'runs__run_job' })
      expect(inputSchema).toMatchObject({ additionalProperties: false })
      expect(outputSchema).toMatchObject({ type: 'object' })
      if (name !== 'runs__run_job' && name !== 'runs__read_run')
        expect(await call(name, args[name], other)).toBeTypeOf('object')
    }
  })
}

scenario(
  ['runs/tools', 'runs/same-run'],
  'a client runs a job, reads its record, and learns why it was computed',
  async () => {
    const { jobs } = await call('runs__list_tasks')
    expect(jobs).toMatchObject([
      {
        name: 'orders-summary',
        tasks: ['orders::collect', 'orders::chart', 'orders::summarise', 'orders::summary'],
        runnable: true,
      },
    ])
    const record = await call('runs__run_job', { job: 'orders-summary', input: { title: 'Today' } })
    expect(record).toMatchObject({
      job: 'orders-summary',
      via: 'mcp',
      client: { name: 'e2e' },
      status: 'passed',
      exit_code: 0,
      tasks: [
        { id: 'orders::collect' },
        { id: 'orders::chart' },
        { id: 'orders::summarise' },
        { id: 'orders::summary' },
      ],
    })
    expect(await call('runs__read_run', { run_id: record['id'] })).toMatchObject({ record })

    // The same, by the command: what was computed there is taken here, and the other way round.
    const second = await printed('run', 'orders-summary', '--input', '{"title":"Today"}')
    const statuses = (run: Body) => (run['tasks'] as Body[]).map(({ status }) => status)
    expect(second).toMatchObject({ via: 'cli', exit_code: 0 })
    expect(statuses(second)).toEqual(['passed', 'cached', 'cached', 'cached'])
    expect(Object.keys(second).filter((key) => !(key in record))).toEqual([])
    const third = await call('runs__run_job', { job: 'orders-summary', input: { title: 'Tomorrow' } })
    expect(statuses(third)).toEqual(['passed', 'cached', 'cached', 'passed'])
    expect((third['tasks'] as Body[])[3]).toMatchObject({
      cache: { decision: 'miss', reason: 'input changed: /title' },
    })
    expect(await call('runs__diff_inputs', { task: 'orders::summary' })).toMatchObject({
      baseline: { run_id: second['id'] },
      changed: ['/title'],
      definition_changed: false,
      same_result: false,
    })
  },
)

scenario(
  ['runs/same-run'],
  'while the command line runs a job, the tool is refused by name of that run, and exit codes are told',
  async () => {
    const slow = stack.worker.registerFunction('e2e-slow::wait', () => new Promise(() => {}), {
      metadata: { 'runs.job': true },
    })
    const broken = stack.worker.registerFunction('e2e-slow::fail', () => ({ isError: true, content: [] }), {
      metadata: { 'runs.job': true },
    })
    await stack.worker.ready()
    const cli = startChild(runsCommand(stack.engineUrl, ['run', 'e2e-slow::wait']))
    const [, id = ''] = await cli.line(/^run (\w{26});/)
    const refused = await client.callTool('runs__run_job', { job: 'orders-summary' })
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(id) }] })
    expect(await command('cancel', id)).toMatchObject({ code: 0 })
    expect(await cli.exited).toMatchObject({ code: 130 })
    expect(await call('runs__read_run', { run_id: id })).toMatchObject({
      record: { status: 'cancelled', exit_code: 130 },
    })
    expect(await command('run', 'e2e-slow::fail')).toMatchObject({ code: 1 })
    // A function that calls itself a job is none over MCP until the operator lists it.
    expect((await client.callTool('runs__run_job', { job: 'e2e-slow::fail' })).isError).toBe(true)
    slow.unregister()
    broken.unregister()
  },
)

scenario(['runs/same-output'], 'what a tool answers is what its command prints', async () => {
  const latest = { function_id: 'runs::list_runs', payload: { kind: 'run', limit: 1 } }
  const { runs } = await stack.worker.trigger<{ runs: [{ id: string }] }>(latest)
  const [{ id }] = runs
  const pairs: [string[], string, Body?][] = [
    [['list'], 'list_tasks'],
    [['graph', 'orders-summary'], 'graph', { job: 'orders-summary' }],
    [['explain', 'orders::collect'], 'explain_task', { task: 'orders::collect' }],
    [['runs', '--kind', 'run'], 'list_runs', { kind: 'run' }],
    [['read', 'latest'], 'read_run', { run_id: id }],
    [['diff', 'orders::summary'], 'diff_inputs', { task: 'orders::summary' }],
    [['metadata'], 'metadata'],
    [['doctor'], 'doctor'],
  ]
  expect(pairs.map(([, name]) => `runs__${name}`).sort()).toEqual(INSPECTIONS)
  const answer = (name: string, payload: Body = {}) =>
    stack.worker.trigger<Body>({ function_id: `runs::${name}`, payload })
  const compare = async ([argv, name, request]: (typeof pairs)[number]) => {
    const isSame = async () =>
      isDeepStrictEqual(withoutSurroundings(await printed(...argv)), await answer(name, request))
    await until(isSame, { what: `${name} to be the same on both ways` })
  }
  await Promise.all(pairs.map(compare))

  // Of a run everything is the same but which run it is, and who asked for it.
  const input = { title: 'Twice' }
  const byHand = await printed('run', 'orders-summary', '--force', '--input', JSON.stringify(input))
  const byWorker = await answer('run_job', { job: 'orders-summary', force: true, input })
  expect(toComparable(byWorker)).toStrictEqual(toComparable(byHand))
})

/** Without what the command `doctor` looks at besides: what is around the worker is for its operator alone. */
function withoutSurroundings(said: Body): Body {
  const isOfWorker = ({ check }: Body) => !['environment', 'spans', 'names', 'namespaces'].includes(String(check))
  return Array.isArray(said['checks']) ? { ...said, checks: said['checks'].filter(isOfWorker) } : said
}

/** Without what differs from run to run. */
function toComparable({ id: _id, via: _via, caller_worker: _by, lock, ...record }: Body): unknown {
  const text = JSON.stringify({ ...record, lock: (lock as Body)['name'] }, (key, value: unknown) =>
    RUN_BY_RUN.test(key) ? typeof value : value,
  )
  return JSON.parse(text)
}
const RUN_BY_RUN = /^(?:run_id|holder|.*_at|duration_ms)$/

for (const [transport, target] of [
  ['HTTP', () => stack.mcpUrl],
  ['stdio', () => stdioBridge(stack.engineUrl)],
] as const) {
  scenario(['runs/inspector'], `the Inspector asks about runs over ${transport}`, async () => {
    await using home = await createTempFolder()
    const args = ['--method', 'tools/call', '--tool-name', 'runs__graph', '--tool-arg', 'job=orders-summary']
    const { code, stdout, stderr } = await runInspector(target(), home.path, args)
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/"structuredContent".*"execution_order": \[\s*"orders::collect"/s)
  })
}

scenario(['runs/mine'], 'an agent asks what it did, and is told its own calls with inputs and outcome', async () => {
  await using agent = await stack.connect('sdk 1.x')
  await using other = await stack.connect('sdk 1.x')
  await other.callTool('orders__list', { customer: 'somebody else' })
  await agent.callTool('orders__list', { customer: 'Ada' })
  await agent.callTool('orders__get', { order_id: 'ORD-0000000000' })
  const run = await call('runs__run_job', { job: 'orders-summary' }, agent)
  const mine = async () => (await call('runs__list_runs', { mine: true }, agent))['runs'] as Body[]
  await until(async () => (await mine()).filter(({ kind }) => kind === 'call').length >= 3, {
    what: 'the calls to be told',
  })
  const entries = await mine()
  expect(entries.map(({ kind }) => kind).sort()).toEqual(['call', 'call', 'call', 'run'])
  expect(entries.filter(({ kind }) => kind === 'run')).toMatchObject([{ id: run['id'], status: 'passed' }])
  expect(entries).toContainEqual(
    expect.objectContaining({
      function_id: 'orders::list',
      outcome: 'ok',
      input: expect.objectContaining({ value: { customer: 'Ada' } }),
    }),
  )
  expect(entries).toContainEqual(expect.objectContaining({ function_id: 'orders::get', outcome: 'error' }))
  expect(JSON.stringify(entries)).not.toContain('somebody else')
})

scenario(['runs/hidden'], 'what the bridge hides is in no answer, and its jobs are none', async () => {
  const hidden = stack.worker.registerFunction('e2e-vault::open', () => 'gold', {
    metadata: { 'mcp.expose': false, 'runs.job': true },
  })
  await stack.worker.ready()
  const answers = await Promise.all([
    call('runs__list_tasks'),
    call('runs__graph'),
    call('runs__metadata'),
    call('runs__doctor'),
    client.callTool('runs__run_job', { job: 'e2e-vault::other' }),
  ])
  expect(JSON.stringify(answers)).not.toContain('e2e-vault::open')
  expect(await client.callTool('runs__run_job', { job: 'e2e-vault::open' })).toEqual({
    ...answers[4],
    content: [{ type: 'text', text: expect.stringContaining("There is no job 'e2e-vault::open'") }],
  })
  expect(JSON.stringify(await printed('list'))).toContain('e2e-vault::open')
  hidden.unregister()
})

scenario(['runs/refused'], 'without --allow-run the command line alone runs jobs, refusals name it', async () => {
  await stack.stop('runs')
  await stack.startRuns(['--config', JOBS])
  await stack.worker
    .trigger({ function_id: 'configuration::set', payload: { id: 'runs', value: { allow_run: true } } })
    .catch(() => undefined)
  await until(async () => !(await client.listTools()).some(({ name }) => name === 'runs__run_job'), {
    what: 'the tool to leave',
  })
  const refused = await client.callTool('runs__run_job', { job: 'orders-summary' })
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('--allow-run') }] })
  const onBus = stack.worker.trigger({ function_id: 'runs::run_job', payload: { job: 'orders-summary' } })
  await expect(onBus).rejects.toThrow(/--allow-run.*\[forbidden\]$/)
  expect(await command('run', 'orders-summary')).toMatchObject({ code: 0 })
})

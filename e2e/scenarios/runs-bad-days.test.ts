import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { toFault } from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { toNodeArgs } from '../built.ts'
import { type Child, runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions, RUNS_FUNCTIONS } from '../facts.ts'
import { runsCommand, runsProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const JOBS = `
jobs:
  quick: { targets: [e2e::quick] }
  slow: { targets: [e2e::slow] }
`

interface RunRecord {
  id: string
  job: string
  via: string
  status: string
  exit_code?: number
}

const cleanup = createCleanup()
let stack: Stack
let config: string
/** Ends the calls of e2e::slow that are under way. */
let waiting: (() => void)[] = []

beforeAll(async () => {
  const folder = cleanup.use(await createTempFolder())
  config = join(folder.path, 'config.yaml')
  await writeFile(config, JOBS)
  stack = cleanup.use(await startStack({ workers: ['runs'], runsFlags: ['--config', config, '--allow-run'] }))
  stack.worker.registerFunction('e2e::quick', () => ({ done: true }))
  stack.worker.registerFunction('e2e::slow', () => new Promise<void>((resolve) => waiting.push(resolve)))
  await until(() => hasFunctions(stack.worker, ['e2e::slow']), { what: 'the tasks to be there' })
})
afterAll(() => cleanup.run())

const call = <T>(function_id: string, payload: object = {}) => stack.worker.trigger<T>({ function_id, payload })
const runJob = (job: string) => call<RunRecord>('runs::run_job', { job })
const readRun = async (run_id: string) => (await call<{ record: RunRecord }>('runs::read_run', { run_id })).record
const command = (...args: string[]) => runToEnd(runsCommand(stack.engineUrl, [...args, '--config', config]))

async function refusal(job: string): Promise<string> {
  const fault = await runJob(job).then(() => undefined, toFault)
  return `${fault?.code}: ${fault?.message}`
}

/** A command that runs the slow job, and has begun it. */
async function startSlow(): Promise<{ child: Child; id: string }> {
  const before = waiting.length
  const child = cleanup.use(startChild(runsCommand(stack.engineUrl, ['run', 'slow', '--config', config])))
  const [, id = ''] = await child.line(/run ([0-9A-Z]{26})/)
  await until(() => waiting.length > before, { what: 'the task to be called' })
  return { child, id }
}

function endTasks(): void {
  for (const end of waiting) end()
  waiting = []
}

scenario(
  ['runs/one-lock'],
  'while a command runs a job the worker refuses another at once and names the run, and the reverse',
  async () => {
    const { child, id } = await startSlow()
    expect(await refusal('quick')).toMatch(new RegExp(`^conflict: .*${id}.*iii-runs cancel ${id}`))
    endTasks()
    expect(await child.exited).toMatchObject({ code: 0 })
    const running = runJob('slow')
    await until(() => waiting.length > 0, { what: 'the task to be called' })
    const refused = await command('run', 'quick')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("The lock 'default' belongs to run") })
    endTasks()
    expect(await running).toMatchObject({ status: 'passed', via: 'bus', exit_code: 0 })
  },
)

scenario(
  ['runs/killed'],
  'a run whose process was killed is unknown once its lock is given up, and the next one runs',
  async () => {
    const { child, id } = await startSlow()
    child.signal('SIGKILL')
    await child.exited
    await until(async () => (await refusal('quick')).includes('is gone'), {
      what: 'the engine to know that it is gone',
    })
    expect(await command('unlock', 'default')).toMatchObject({ code: 0 })
    expect(await runJob('quick')).toMatchObject({ status: 'passed' })
    expect(await command('gc')).toMatchObject({ code: 0 })
    expect(await readRun(id)).toMatchObject({ status: 'unknown', exit_code: 1 })
    endTasks()
  },
)

scenario(
  ['runs/dead-holder', 'runs/killed'],
  'a run that waits for the lock of one whose process was killed takes over, and marks that one as unknown',
  async () => {
    const { child, id } = await startSlow()
    child.signal('SIGKILL')
    await child.exited
    const next = await command('run', 'quick', '--wait', '60', '--json')
    expect(next).toMatchObject({ code: 0 })
    expect(JSON.parse(next.stdout)).toMatchObject({ status: 'passed', lock: { name: 'default' } })
    expect(await readRun(id)).toMatchObject({ status: 'unknown', exit_code: 1 })
    endTasks()
  },
)

scenario(['runs/cancel'], 'Ctrl-C, an end from outside and `cancel` finish the record of a run', async () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const { child, id } = await startSlow()
    child.signal(signal)
    expect(await child.exited).toMatchObject({ code })
    expect(await readRun(id)).toMatchObject({ status: 'cancelled', exit_code: code })
  }
  const { child, id } = await startSlow()
  expect(await command('cancel', id)).toMatchObject({ code: 0 })
  expect(await child.exited).toMatchObject({ code: 130 })
  endTasks()
})

for (const [form, reader] of [
  [[], 'true'],
  [['--json'], 'true'],
  [['--json'], 'head -c 1'],
] as const) {
  scenario(['runs/cancel'], `a run is cancelled when its reader leaves: ${form} | ${reader}`, async () => {
    const { entry, args = [] } = runsCommand(stack.engineUrl, ['run', 'slow', '--config', config, ...form])
    const script = `{ "$0" "$@"; echo "ended with $?" >&2; } | ${reader}`
    const shell = spawn('sh', ['-c', script, process.execPath, ...toNodeArgs(entry), ...args], { stdio: 'pipe' })
    expect(await text(shell.stderr)).toContain('ended with 141')
    const { runs } = await call<{ runs: RunRecord[] }>('runs::list_runs', { kind: 'run', limit: 1 })
    expect(runs).toMatchObject([{ job: 'slow', status: 'cancelled', exit_code: 141 }])
    endTasks()
  })
}

scenario(['runs/stopped'], 'a worker that is stopped while it runs a job finishes the record', async () => {
  const running = runJob('slow').catch(toFault)
  await until(() => waiting.length > 0, { what: 'the task to be called' })
  await stack.stop('runs')
  await running
  endTasks()
  await stack.startRuns()
  const { runs } = await call<{ runs: RunRecord[] }>('runs::list_runs', { limit: 1 })
  expect(runs).toMatchObject([{ job: 'slow', status: 'cancelled', exit_code: 143 }])
  expect(await runJob('quick')).toMatchObject({ status: 'passed' })
})

scenario(['runs/twin'], 'of two workers of runs the newer serves, and the older again when it is gone', async () => {
  const twin = cleanup.use(startChild(runsProgram(stack.engineUrl, ['--config', config, '--allow-run'])))
  await twin.line(/ready/)
  expect(await runJob('quick')).toMatchObject({ status: 'passed' })
  await twin.stop()
  await until(() => hasFunctions(stack.worker, RUNS_FUNCTIONS), { what: 'the older one to serve again' })
  expect(await runJob('quick')).toMatchObject({ status: 'passed' })
})

scenario(['runs/schedule'], 'a job with a schedule is run by the clock of the engine', async () => {
  await writeFile(config, `${JOBS}  clock: { targets: [e2e::quick], schedule: '* * * * * *' }\n`)
  const find = () => call<{ runs: RunRecord[] }>('runs::list_runs', { job: 'clock', limit: 1 })
  await until(async () => (await find()).runs[0]?.status === 'passed', { what: 'the clock to have run it' })
  expect((await find()).runs).toMatchObject([{ job: 'clock', via: 'trigger' }])
  await writeFile(config, JOBS)
})

scenario(['runs/restart'], 'after a restart of the engine the worker is there again, and jobs run', async () => {
  await stack.stop('engine')
  await stack.startEngine()
  await until(() => hasFunctions(stack.worker, [...RUNS_FUNCTIONS, 'e2e::quick']), { what: 'the worker to be there' })
  await until(async () => (await runJob('quick')).status === 'passed', { what: 'a job to run' })
})

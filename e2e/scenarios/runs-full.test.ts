import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { toFault } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { connectToEngine, hasFunctions, RUNS_FUNCTIONS } from '../facts.ts'
import { runsCommand, runsProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'
import { until } from '../until.ts'

const SETTINGS = `
keep: { runs: 3 }
jobs:
  quick: { targets: [e2e-full::quick] }
  chain: { targets: [e2e-full::second] }
`
const NO_SPACE = 'no space left on device'

interface RunRecord {
  id: string
  status: string
  exit_code?: number
  truncated?: boolean
}

const cleanup = createCleanup()
let engine: MockEngine
let shop: Worker
let config: string
let called: string[] = []
let goOn: () => void

beforeAll(async () => {
  engine = await startMockEngine()
  cleanup.use({ [Symbol.asyncDispose]: () => engine.close() })
  const folder = cleanup.use(await createTempFolder())
  config = join(folder.path, 'config.yaml')
  await writeFile(config, SETTINGS)
  shop = cleanup.use(connectToEngine(engine.url, 'shop'))
  const waiting = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const serve = (name: string, work: () => unknown, metadata = {}) =>
    shop.registerFunction(
      `e2e-full::${name}`,
      () => {
        called.push(name)
        return work()
      },
      { metadata },
    )
  serve('quick', () => ({ done: true }))
  serve('first', () => waiting)
  serve('second', () => ({ done: true }), { 'runs.depends_on': ['e2e-full::first'] })
  cleanup.use(startChild(runsProgram(engine.url, ['--config', config, '--allow-run'])))
  await until(() => hasFunctions(shop, [...RUNS_FUNCTIONS, 'e2e-full::second']), { what: 'the worker of runs' })
})
afterAll(() => cleanup.run())

const call = <T>(function_id: string, payload: object = {}) => shop.trigger<T>({ function_id, payload })
const runJob = (job: string) => call<RunRecord>('runs::run_job', { job })
const listRuns = async () => (await call<{ runs: RunRecord[] }>('runs::list_runs', { kind: 'run' })).runs
const command = (...args: string[]) => runToEnd(runsCommand(engine.url, [...args, '--config', config]))
const fill = () => engine.inject({ fault: 'fail-call', function: 'state::set', message: NO_SPACE })

scenario(['runs/full'], 'on a full store a run that cannot be recorded is refused, and looking goes on', async () => {
  const before = await runJob('quick')
  called = []
  const empty = fill()
  expect(toFault(await runJob('quick').catch((error: unknown) => error)).message).toContain(NO_SPACE)
  const refused = await command('run', 'quick')
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(NO_SPACE) })
  expect(called).toEqual([])
  expect(await listRuns()).toMatchObject([{ id: before.id, status: 'passed' }])
  expect(await command('doctor')).toMatchObject({ code: 0, stderr: '' })
  empty()
  // Nothing of it is left in the way.
  expect(await command('run', 'quick')).toMatchObject({ code: 0 })
})

scenario(
  ['runs/full'],
  'a run under which the store becomes full ends, and its record says that it is not whole',
  async () => {
    called = []
    const running = runJob('chain')
    await until(() => called.includes('first'), { what: 'the first task to be called' })
    const empty = fill()
    goOn()
    expect(await running).toMatchObject({ status: 'passed', exit_code: 0, truncated: true })
    expect(called).toEqual(['first', 'second'])
    empty()
    expect(await runJob('quick')).toMatchObject({ status: 'passed' })
  },
)

scenario(['runs/full'], 'of more runs than are kept the oldest go, with all that belongs to them', async () => {
  const first = await runJob('quick')
  const newer: string[] = []
  for (let at = 0; at < 3; at += 1) newer.unshift((await runJob('quick')).id)
  await until(async () => (await listRuns()).length === 3, { what: 'the oldest to go' })
  expect((await listRuns()).map(({ id }) => id)).toEqual(newer)
  expect((await call('runs::read_run', { run_id: first.id }).catch(toFault)) as object).toMatchObject({
    code: 'not_found',
  })
})

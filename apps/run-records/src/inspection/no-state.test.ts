import { startMockEngine } from '@iii/mock-engine'
import { toFault } from '@iii/protocol'
import { createLog, type Logger, registerWorker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { JobDeclarations } from '../jobs/declaration.ts'
import { NO_STATE } from '../store/no-state.ts'
import { DEFAULTS } from '../testing/run-stage.ts'
import { serveRuns } from '../worker.ts'

const log = createLog({ name: 'test', level: 'silent' })

it('on an engine without state a scheduled run says what is missing in the log', async () => {
  const missing = { code: 'function_not_found', message: 'Function state::get not found' }
  await using engine = await startMockEngine({ faults: [{ fault: 'fail-call', function: 'state::*', ...missing }] })
  const worker = registerWorker(engine.url, { name: 'runs', log })
  worker.registerFunction('shop::count', () => 3)
  const jobs = JobDeclarations.parse({ count: { targets: ['shop::count'], schedule: '* * * * * *' } })
  const said: unknown[] = []
  const warn = (fields: unknown) => void said.push(fields)
  const settings = { value: { ...DEFAULTS, jobs }, locked: undefined, onChange: () => () => {} }
  const { close } = serveRuns(worker, settings, { ...log, warn } as Logger)
  await worker.ready()
  await expect.poll(() => said, { timeout: 3000 }).toContainEqual({ job: 'count', reason: NO_STATE })
  await close()
  await worker.shutdown()
})

it('on an engine without state every function that needs it says what is missing', async () => {
  const missing = { code: 'function_not_found', message: 'Function state::get not found' }
  await using engine = await startMockEngine({ faults: [{ fault: 'fail-call', function: 'state::*', ...missing }] })
  const worker = registerWorker(engine.url, { name: 'runs', log })
  worker.registerFunction('shop::count', () => 3)
  const jobs = JobDeclarations.parse({ count: { targets: ['shop::count'] } })
  const value = { ...DEFAULTS, allowRun: true, jobs }
  const { close } = serveRuns(worker, { value, locked: undefined, onChange: () => () => {} }, log)
  await worker.ready()
  const ask = (name: string, payload: object) =>
    worker.trigger({ function_id: `runs::${name}`, payload }).then(() => 'answered', toFault)
  const expected = {
    code: 'unavailable',
    message: 'the engine keeps no state: add the worker iii-state to its configuration',
  }
  expect(await ask('list_runs', {})).toMatchObject(expected)
  expect(await ask('read_run', { run_id: '01M8HXXBQV909HW2VV9ZSM1EQT' })).toMatchObject(expected)
  expect(await ask('run_job', { job: 'count' })).toMatchObject(expected)
  await close()
  await worker.shutdown()
})

import { startMockEngine } from '@iii/mock-engine'
import { STATE_SCOPES } from '@iii/protocol'
import { createLog, registerWorker } from '@iii/sdk'
import { createCapture } from '@iii/sdk/cli'
import { expect, it } from 'vitest'
import { createRunsCommands } from './commands.ts'

it.each([130, 143])('who gives up waiting for a lock has cancelled the run: %i', async (exitCode) => {
  await using engine = await startMockEngine()
  await using shop = registerWorker(engine.url, { name: 'shop', log: createLog({ name: 'test', level: 'silent' }) })
  shop.registerFunction('shop::report', () => ({}))
  await shop.ready()
  const claim = { token: 't', holder: 'runs::holder-x', run: 'somebody', since: '2026-01-01T00:00:00.000Z' }
  await engine.call('state::set', { scope: STATE_SCOPES.runs.locks, key: 'default', value: { c1: [claim] } })
  const [stdout, stderr, giveUp] = [createCapture(), createCapture(), new AbortController()]
  const stop = engine.onFrame(({ frame }) => {
    const { function_id: id, data } = frame as { function_id?: string; data?: { scope?: string } }
    if (id === 'state::get' && data?.scope === STATE_SCOPES.runs.locks) giveUp.abort({ exitCode })
  })
  const code = await createRunsCommands(() => ({ listen: () => giveUp.signal })).run({
    argv: ['run', 'report', '--wait', '600'],
    env: { III_URL: engine.url, III_RUNS_JOBS: '{"report":{"targets":["shop::report"]}}', NO_COLOR: '1' },
    version: '1.2.3',
    streams: { stdout, stderr },
  })
  stop()
  expect({ code, stderr: stderr.text() }).toEqual({
    code: exitCode,
    stderr: 'iii-runs: cancelled before it began: nothing was run\n',
  })
})

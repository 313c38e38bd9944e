import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { EXIT } from '@iii/sdk/cli'
import { expect, it } from 'vitest'
import { EXIT_CODES } from '../record/status.ts'
import { DEFAULTS } from '../testing/run-stage.ts'
import { serveRuns } from '../worker.ts'

const log = createLog({ name: 'test', level: 'silent' })

interface Registered {
  function_id: string
  request_schema?: unknown
  response_schema?: unknown
  metadata: Record<string, unknown>
}

/** What others build on. It may grow until it is frozen; whoever changes the snapshot tells users with a changeset. */
it('the names, schemas and exit codes are those that were promised', async () => {
  await using engine = await startMockEngine()
  await using worker = registerWorker(engine.url, { name: 'runs', log })
  const settings = { value: { ...DEFAULTS, allowRun: true }, locked: undefined, onChange: () => () => {} }
  const served = serveRuns(worker, settings, log)
  await worker.ready()
  const ids = worker.functionIds.filter((id) => /^runs::[a-z_]+$/.test(id)).sort()
  const payload = { function_ids: ids }
  const { functions } = await worker.trigger<{ functions: Registered[] }>({
    function_id: 'engine::functions::info',
    payload,
  })
  const contracts = functions.map(({ function_id, request_schema, response_schema, metadata }) => {
    const { 'iii.instance': _process, 'mcp.cancel': _desk, ...said } = metadata
    return { id: function_id, metadata: said, request_schema, response_schema }
  })
  await served.close()
  const promised = { exit_codes: EXIT_CODES, functions: contracts }
  await expect(`${JSON.stringify(promised, null, 1)}\n`).toMatchFileSnapshot('./contracts.snap')
})

it('the codes of runs are those of commands', () => {
  expect(Object.values(EXIT).sort()).toEqual(Object.values(EXIT_CODES).sort())
})

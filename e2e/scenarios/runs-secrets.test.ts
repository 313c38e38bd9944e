import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { STATE_SCOPES, toFault } from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { runsCommand } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const CANARY = 'hunter2-canary'
const SHORT = '83k1'
const JOBS = `
jobs:
  login:
    targets: [e2e-login::enter]
    input: { type: object, properties: { user: { type: string }, password: { type: string }, pin: { type: string, format: password } } }
  fail: { targets: [e2e-login::fail], inputs: { 'e2e-login::fail': { secret: ${CANARY} } } }
  kept: { targets: [e2e-login::digest], inputs: { 'e2e-login::digest': { customer: '${CANARY}' } } }
  quoted: { targets: [e2e-login::quote], inputs: { 'e2e-login::quote': { password: "q\\"${CANARY}\\n", api_key: ${SHORT} } } }
`
const INPUT = { user: 'ada', password: CANARY, pin: CANARY }

const cleanup = createCleanup()
let stack: Stack
let config: string

beforeAll(async () => {
  const folder = cleanup.use(await createTempFolder())
  config = join(folder.path, 'config.yaml')
  await writeFile(config, JOBS)
  const runsFlags = ['--config', config, '--allow-run', '--debug']
  stack = cleanup.use(await startStack({ workers: ['bridge', 'runs'], runsFlags }))
  const enter = () => ({ token: CANARY, header: `Bearer ${CANARY}`, content: 'welcome' })
  const schema = { type: 'object', properties: { pin: { type: 'string', writeOnly: true } } }
  stack.worker.registerFunction('e2e-login::enter', enter, {
    request_format: schema,
    metadata: { 'runs.cache': { ttl_ms: 60_000 } },
  })
  stack.worker.registerFunction('e2e-login::fail', () => {
    throw new Error(`cannot log in with password=${CANARY} at postgres://ada:${CANARY}@host/db`)
  })
  const digest = ({ customer }: { customer: string }) => {
    throw new Error(`nobody is called ${customer}`)
  }
  stack.worker.registerFunction('e2e-login::digest', digest, { metadata: { 'runs.record': 'digest' } })
  stack.worker.registerFunction('e2e-login::quote', (payload: { password: string; api_key: string }) => {
    throw new Error(`cannot open ${JSON.stringify(payload.password)} by ${payload.api_key}`)
  })
  await until(() => hasFunctions(stack.worker, ['e2e-login::quote']), { what: 'the tasks to be there' })
})
afterAll(() => cleanup.run())

scenario(
  ['runs/no-secret'],
  'a password in an input, a result and an error is in no row, answer, log or line',
  async () => {
    const client = cleanup.use(await stack.connect('sdk 1.x'))
    const said: unknown[] = []
    const ask = async (tool: string, args: object) => {
      const result = await client.callTool(tool, args as Record<string, unknown>)
      said.push(result)
      return result.structuredContent as { runs?: { id: string; kind: string }[]; id?: string }
    }
    const command = async (...args: string[]) => {
      const ended = await runToEnd(runsCommand(stack.engineUrl, [...args, '--config', config]))
      said.push(ended)
      return ended
    }
    await ask('runs__run_job', { job: 'login', input: INPUT })
    await ask('runs__run_job', { job: 'login', input: { ...INPUT, user: 'bob' } })
    await ask('runs__run_job', { job: 'fail' })
    said.push(
      await stack.worker
        .trigger({ function_id: 'runs::run_job', payload: { job: 'login', input: [CANARY] } })
        .catch(toFault),
    )
    await command('run', 'login', '--input', JSON.stringify(INPUT))
    await command('run', 'fail', '--json')
    await ask('runs__run_job', { job: 'kept' })
    await ask('runs__run_job', { job: 'quoted' })
    await command('diff', 'e2e-login::enter')
    const { runs = [] } = await ask('runs__list_runs', { limit: 100 })
    expect(runs.length).toBeGreaterThanOrEqual(5)
    for (const { id } of runs.filter(({ kind }) => kind === 'run')) {
      await ask('runs__read_run', { run_id: id })
      await command('read', id)
    }
    await ask('runs__diff_inputs', { task: 'e2e-login::enter' })
    await ask('runs__explain_task', { task: 'e2e-login::fail' })
    const list = (scope: string) => stack.worker.trigger<unknown[]>({ function_id: 'state::list', payload: { scope } })
    // What clients have called is written a moment later.
    await until(async () => (await list(STATE_SCOPES.runs.calls)).length > 0, { what: 'the calls to be written' })
    const rows = await Promise.all(Object.values(STATE_SCOPES.runs).map(list))
    expect(rows.every((scope) => Array.isArray(scope))).toBe(true)
    const logs = [...stack.children.values()].flatMap(({ stdout, stderr }) => [...stdout, ...stderr])
    for (const what of [said, rows, logs]) expect(JSON.stringify(what)).not.toMatch(new RegExp(`${CANARY}|${SHORT}`))
    expect(JSON.stringify(said)).toContain('ada')
  },
)

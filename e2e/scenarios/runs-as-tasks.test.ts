import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { openSession, postRequest, postStateless } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const JOBS = `
jobs:
  e2e-steps: { targets: [e2e-steps::last] }
`
const CAPABLE = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

type Body = Readonly<Record<string, unknown>>

const cleanup = createCleanup()
let stack: Stack
/** Ends the calls of the last step. */
const waiting: (() => void)[] = []

beforeAll(async () => {
  const folder = cleanup.use(await createTempFolder())
  const config = join(folder.path, 'runs.yaml')
  await writeFile(config, JOBS)
  stack = cleanup.use(await startStack({ workers: ['bridge', 'runs'], runsFlags: ['--config', config, '--allow-run'] }))
  const { worker } = stack
  worker.registerFunction('e2e-steps::first', () => 'done')
  const wait = () => new Promise<void>((resolve) => waiting.push(resolve))
  const metadata = { 'runs.depends_on': ['e2e-steps::first'] }
  worker.registerFunction('e2e-steps::last', wait, { metadata })
  await until(() => hasFunctions(worker, ['e2e-steps::last']), { what: 'the steps to be there' })
  const isListed = async () => JSON.stringify(await ask('tools/list', {})).includes('"runs__run_job"')
  await until(isListed, { what: 'run_job to be listed' })
})
afterAll(() => cleanup.run())

async function ask(method: string, params: Record<string, unknown>): Promise<Body> {
  const [message] = await postStateless(stack.mcpUrl, method, params, CAPABLE).over
  return message?.result ?? { error: message?.error }
}

/** @returns the id of a task in which the job has come to its last step */
async function begin(): Promise<string> {
  const before = waiting.length
  const { taskId } = await ask('tools/call', { name: 'runs__run_job', arguments: { job: 'e2e-steps' } })
  await until(() => waiting.length > before, { what: 'the last step to run' })
  return String(taskId)
}

async function see(taskId: string, status: string): Promise<Body> {
  const look = async () => {
    const task = await ask('tasks/get', { taskId })
    return task['status'] === status ? task : undefined
  }
  return await until(look, { what: `${taskId} to be ${status}` })
}

async function readLatest(): Promise<{ status?: string }> {
  const payload = { kind: 'run', limit: 1 }
  const { runs } = await stack.worker.trigger<{ runs: { status?: string }[] }>({
    function_id: 'runs::list_runs',
    payload,
  })
  return runs[0] ?? {}
}

scenario(['runs/as-task'], 'a job that runs as an MCP task ends with its record', async () => {
  const taskId = await begin()
  expect(await readLatest()).toMatchObject({ job: 'e2e-steps', status: 'running' })
  waiting.at(-1)?.()
  const { result } = await see(taskId, 'completed')
  expect(result).toMatchObject({
    structuredContent: { job: 'e2e-steps', via: 'mcp', status: 'passed', exit_code: 0 },
  })
})

scenario(['runs/as-task'], 'a client that waits hears of each task of its run', async () => {
  const before = waiting.length
  const params = { name: 'runs__run_job', arguments: { job: 'e2e-steps' }, _meta: { progressToken: 'how far' } }
  using reply = postRequest(stack.mcpUrl, await openSession(stack.mcpUrl), 'tools/call', params)
  await until(() => waiting.length > before, { what: 'the last step to run' })
  waiting.at(-1)?.()
  const messages = await reply.over
  const told = messages.flatMap(({ method, params: said }) => (method === undefined ? [] : said))
  // What is overtaken before it is on its way is left out.
  expect(told[0]).toMatchObject({
    progressToken: 'how far',
    progress: 0,
    total: 2,
    message: 'e2e-steps::first: running',
  })
  expect(told.at(-1)).toMatchObject({ progress: 2, total: 2, message: 'e2e-steps::last: passed' })
  expect(messages.at(-1)?.result).toMatchObject({ structuredContent: { status: 'passed' } })
})

scenario(['runs/as-task'], 'a task that is cancelled cancels its run', async () => {
  const taskId = await begin()
  await ask('tasks/cancel', { taskId })
  await see(taskId, 'cancelled')
  const isCancelled = async () => (await readLatest()).status === 'cancelled'
  await until(isCancelled, { what: 'the run to be cancelled' })
  expect(await readLatest()).toMatchObject({ job: 'e2e-steps', via: 'mcp', exit_code: 130 })
  waiting.at(-1)?.()
})

import { registerMcpFunction } from '@iii/sdk'
import { afterAll, beforeAll, expect } from 'vitest'
import { forge } from '../bad-input.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { postStateless } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack
/** Ends the functions that run at the moment. */
const finish: ((value: string) => void)[] = []

const CAPABLE = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'] }))
  const { worker } = stack
  const wait = () => new Promise<string>((resolve) => finish.push(resolve))
  registerMcpFunction(worker, 'jobs::kept', wait, { mcp: { task: 'optional' } })
  worker.registerFunction('jobs::plain', wait, { metadata: { mcp: { task: 'optional' } } })
  await until(() => hasFunctions(worker, ['jobs::plain']), { what: 'the functions to be there' })
})
afterAll(() => cleanup.run())

async function ask(method: string, params: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>> {
  const [message] = await postStateless(stack.mcpUrl, method, params, CAPABLE).over
  return message?.result ?? { error: message?.error }
}

/** @returns the id of the task, once its function runs */
async function begin(name: string): Promise<string> {
  const before = finish.length
  const { taskId } = await ask('tools/call', { name })
  await until(() => finish.length > before, { what: `${name} to run` })
  return String(taskId)
}

async function see(taskId: string, status: string): Promise<Readonly<Record<string, unknown>>> {
  const look = async () => {
    const task = await ask('tasks/get', { taskId })
    return task['status'] === status ? task : undefined
  }
  return await until(look, { what: `${taskId} to be ${status}`, deadlineMs: 30_000 })
}

scenario(['tasks/restart'], 'tasks outlive their bridge: finished, running, and lost ones', async () => {
  const finished = await begin('jobs__plain')
  finish.at(-1)?.('done')
  const content = (text: string) => ({ result: { content: [{ type: 'text', text }] } })
  expect(await see(finished, 'completed')).toMatchObject(content('done'))
  const kept = await begin('jobs__kept')
  const lost = await begin('jobs__plain')
  await stack.stop('mcp')
  for (const end of finish) end('done in between')
  await stack.startBridge()
  expect(await see(finished, 'completed')).toMatchObject(content('done'))
  expect(await see(kept, 'completed')).toMatchObject(content('done in between'))
  expect(await see(lost, 'failed')).toMatchObject({
    error: { message: expect.stringMatching(/stopped before the task was over.+outcome is unknown/) },
  })
})

scenario(['tasks/restart'], 'a task is nobody’s who does not know its id', async () => {
  const taskId = await begin('jobs__plain')
  const forged = [forge(taskId), '../mcp-tasks', '__proto__', 'latest']
  for (const id of forged) {
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      expect(await ask(method, { taskId: id }), `${method} ${id}`).toMatchObject({ error: { code: -32602 } })
    }
  }
  expect(await ask('tasks/get', { taskId })).toMatchObject({ status: 'working' })
  await ask('tasks/cancel', { taskId })
  expect(await see(taskId, 'cancelled')).not.toHaveProperty('result')
})

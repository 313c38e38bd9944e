import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { postRequest, postStateless } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

/** With the escapes of two envelopes it is more than a message of the engine may have; by itself it is not. */
const HUGE = '"'.repeat(5_000_000)
const LARGE = '"'.repeat(200_000)
const PLACE = '/srv/shop/secret.ts'
const ANSWERS = {
  'odd::refusal': { result_type: 'protocol_error', code: -32_050, message: `No more at ${PLACE}`, data: HUGE },
  'odd::remarks': { content: [{ type: 'text', text: 'kept' }], _meta: { large: LARGE } },
  'odd::block': { content: [{ type: 'text', text: 'kept', _meta: { large: LARGE } }] },
  'odd::job': {
    result_type: 'protocol_error',
    code: -32_010,
    message: `No more at ${PLACE}\n    at pay (${PLACE}:3:1)`,
  },
}
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'] }))
  for (const [id, answer] of Object.entries(ANSWERS)) {
    const metadata = id === 'odd::job' ? { mcp: { task: 'required' } } : {}
    stack.worker.registerFunction(id, () => answer, { metadata })
  }
  await until(() => hasFunctions(stack.worker, Object.keys(ANSWERS)), { what: 'the functions' })
})
afterAll(() => cleanup.run())

async function call(name: string) {
  const reply = postRequest(stack.mcpUrl, { accept: 'application/json' }, 'tools/call', { name, arguments: {} })
  const [message] = await reply.over
  return { status: await reply.status, message }
}

scenario(['results/acceptable'], 'an error with details that no reply can carry is an error without them', async () => {
  const { status, message } = await call('odd__refusal')
  expect(status).toBe(200)
  expect(message?.error).toEqual({ code: -32_050, message: 'No more at <path>' })
})

scenario(['results/limit'], 'what is said beside a result, or beside a text in it, counts as well', async () => {
  for (const name of ['odd__remarks', 'odd__block']) {
    const { message } = await call(name)
    expect(JSON.stringify(message).length).toBeLessThan(100_000)
    const content = (message?.result?.['content'] ?? []) as unknown[]
    expect(content[0]).toMatchObject({ text: expect.stringMatching(/^\[This result is cut/) })
    expect(content.at(-1)).toEqual({ type: 'text', text: 'kept' })
  }
})

scenario(['results/acceptable'], 'the error of a task has neither stack nor path', async () => {
  const params = { name: 'odd__job', arguments: {} }
  const [begun] = await postStateless(stack.mcpUrl, 'tools/call', params, TASKS).over
  const taskId = String(begun?.result?.['taskId'])
  const ended = async () => {
    const [state] = await postStateless(stack.mcpUrl, 'tasks/get', { taskId }, TASKS).over
    return state?.result?.['status'] === 'failed' ? state.result['error'] : undefined
  }
  expect(await until(ended, { what: 'the end of the task' })).toEqual({ code: -32_010, message: 'No more at <path>' })
})

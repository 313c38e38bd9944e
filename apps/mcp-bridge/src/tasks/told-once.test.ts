import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { createStateScope, registerMcpFunction, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import { askForResult, begin, beginJob, createGateway, form, get, TASK } from '../testing/tasks.ts'
import { untilAnswer } from '../testing/until.ts'
import { TASK_SCOPES } from './record.ts'

/** The bridge of a task, and one that takes it for gone at once. */
async function startTwo(engine: MockEngine) {
  const own = await startBridge(engine, { options: { apiPath: '/own' }, limits: { awayMs: 0 } })
  const other = await startBridge(engine, { options: { apiPath: '/other' }, limits: { awayMs: 0 } })
  return {
    own,
    other,
    async [Symbol.asyncDispose]() {
      await Promise.all([own, other].map((bridge) => bridge[Symbol.asyncDispose]()))
    },
  }
}

/** As long as no bridge finds another one. */
const lose = (engine: MockEngine) =>
  engine.inject({ fault: 'fail-call', function: 'mcp::*::tasks', code: 'function_not_found' })

describe('a task that another bridge has called failed while its own was away', () => {
  it('has failed on its own as well: it takes no answers and is not called again', async () => {
    await using engine = await startMockEngine()
    await using two = await startTwo(engine)
    const { own, other } = two
    let calls = 0
    own.other.registerFunction(
      'jobs::asks',
      () => {
        calls += 1
        return { result_type: 'input_required', input_requests: { a: form } }
      },
      TASK,
    )
    await own.other.ready()
    const ids = [await begin(own, 'jobs__asks'), await begin(own, 'jobs__asks')]
    for (const id of ids) {
      await untilAnswer(
        () => get(own, id),
        ({ status }) => status === 'input_required',
      )
    }
    const back = lose(engine)
    const told = await Promise.all(ids.map((id) => get(other, id)))
    back()
    expect(told).toMatchObject(ids.map(() => ({ status: 'failed', error: { message: expect.anything() } })))
    const [polled = '', answered = ''] = ids
    const inputResponses = { a: { action: 'accept', content: {} } }
    expect(await get(own, polled)).toEqual(told[0])
    await askForResult(own, 'tasks/update', { taskId: answered, inputResponses })
    await askForResult(other, 'tasks/update', { taskId: answered, inputResponses })
    for (const bridge of [own, other]) expect(await get(bridge, answered)).toEqual(told[1])
    expect(calls).toBe(2)
  })

  it('has failed also when its function ends well', async () => {
    await using engine = await startMockEngine()
    await using two = await startTwo(engine)
    const { own, other } = two
    const { job, taskId } = await beginJob(own)
    const back = lose(engine)
    const told = await get(other, taskId)
    back()
    expect(told).toMatchObject({ status: 'failed' })
    job.end('done')
    await own.other.ready()
    for (const bridge of [own, other]) expect(await get(bridge, taskId)).toEqual(told)
  })
})

it('a task whose function has gone stays failed on every bridge, whatever is written for it later', async () => {
  await using engine = await startMockEngine()
  await using two = await startTwo(engine)
  const { own, other } = two
  const author = registerWorker(engine.url, { name: 'author' })
  const door = createGateway()
  registerMcpFunction(author, 'jobs::kept', async () => door.passed, { mcp: { task: 'optional' } })
  await author.ready()
  const taskId = await begin(own, 'jobs__kept')
  await door.reached
  await author.shutdown()
  await untilAnswer(
    () => get(own, taskId),
    ({ status }) => status === 'failed',
  )
  const told = await get(own, taskId)
  await createStateScope(own.other, TASK_SCOPES.results).set(taskId, { value: 'late' })
  for (const bridge of [own, other]) expect(await get(bridge, taskId)).toMatchObject({ status: 'failed' })
  expect(told).toMatchObject({ error: { message: expect.stringMatching(/unknown/) } })
})

it('a task of the bridge that is asked stands as that knows it while nothing can be read', async () => {
  await using engine = await startMockEngine()
  await using bridge = await startBridge(engine)
  const { job, taskId } = await beginJob(bridge)
  engine.inject({ fault: 'fail-call', function: 'state::get', code: 'internal' })
  expect(await get(bridge, taskId)).toMatchObject({ status: 'working' })
  job.end('done')
})

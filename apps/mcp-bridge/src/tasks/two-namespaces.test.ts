import { startMockEngine } from '@iii/mock-engine'
import { expect, it } from 'vitest'
import { startBridge, type TestBridge } from '../testing/bridge.ts'
import { begin, get, offerJob, over, postWithTasks } from '../testing/tasks.ts'

/** Bridges in two namespaces of one engine, and two in the second. */
async function startStage() {
  const engine = await startMockEngine({ engine: '0.23' })
  const start = (apiPath: string, namespace?: string) =>
    startBridge(engine, { options: { apiPath }, ...(namespace === undefined ? {} : { namespace }) })
  const here = await start('here')
  const [there, twin] = [await start('there', 'orders'), await start('twin', 'orders')]
  return {
    engine,
    here,
    there,
    twin,
    async [Symbol.asyncDispose]() {
      for (const bridge of [here, there, twin]) await bridge[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}

async function open(bridge: TestBridge): Promise<Record<string, string>> {
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const { headers } = await bridge.rpc('initialize', hello)
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
}

it('sessions are those of the bridges of one namespace', async () => {
  await using on = await startStage()
  const [own, foreign] = [await open(on.there), await open(on.here)]
  const pings = [
    [on.there, own, 200],
    [on.twin, own, 200],
    [on.here, own, 404],
    [on.here, foreign, 200],
    [on.there, foreign, 404],
  ] as const
  for (const [bridge, session, status] of pings) {
    expect((await bridge.rpc('ping', undefined, session)).status).toBe(status)
  }
  const keys = async (scope: string) => on.engine.call('state::get', { scope, key: 'keys' })
  const [ours, theirs] = [await keys('mcp-session-keys'), await keys('mcp-session-keys@orders')]
  expect(ours).toMatchObject({ keys: [{}] })
  expect(theirs).toMatchObject({
    keys: expect.arrayContaining([{ id: expect.any(Number), secret: expect.any(String) }]),
  })
  expect(JSON.stringify(theirs)).not.toContain(JSON.stringify(ours))
})

it('a session that ends at one bridge ends at those of its namespace', async () => {
  await using on = await startStage()
  const session = await open(on.there)
  expect((await on.twin.rpc('ping', undefined, session)).status).toBe(200)
  expect((await fetch(on.there.url, { method: 'DELETE', headers: session })).ok).toBe(true)
  await expect.poll(async () => (await on.twin.rpc('ping', undefined, session)).status).toBe(404)
})

it('tasks are those of the bridges of one namespace, also what their functions write down', async () => {
  await using on = await startStage()
  const job = offerJob(on.there.other, 'jobs::run', { 'mcp.keeps_result': true })
  await on.there.other.ready()
  const id = await begin(on.there, 'jobs__run')
  expect(job.calls).toMatchObject([{ mcp: { task: { id, scope: 'mcp-task-results@orders' } } }])
  job.end({ rows: 3 })
  await over(on.there, id)
  expect(await get(on.twin, id)).toMatchObject({ status: 'completed' })
  expect((await postWithTasks(on.here, 'tasks/get', { taskId: id })).message.error?.code).toBe(-32602)
  expect(await on.engine.call('state::list', { scope: 'mcp-tasks' })).toEqual([])
  expect(await on.engine.call('state::list', { scope: 'mcp-tasks@orders' })).toMatchObject([{ id }])
})

import { startMockEngine } from '@iii/mock-engine'
import { createLog, InvocationError, registerWorker } from '@iii/sdk'
import { expect, it, vi } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import { beginJob, over, postWithTasks } from '../testing/tasks.ts'
import { createTaskStore } from './store.ts'

const TIMES = { created_at: 1e300, updated_at: -1e300, ttl_ms: 1e300, deadline_at: 1e300 }
const FACTS = { id: 'x', status: 'working', via: 'mcp::y', function_id: 'jobs::run' }
const POISON = ['text', 5, [[]], {}, { ...FACTS, ...TIMES, keeps_result: true, has_output_schema: true }]

it.each(POISON)('what no bridge writes among tasks is no task: %j', async (value) => {
  await using engine = await startMockEngine()
  await using bridge = await startBridge(engine)
  await engine.call('state::set', { scope: 'mcp-tasks', key: 'x', value })
  for (const method of ['tasks/get', 'tasks/cancel']) {
    const { message } = await postWithTasks(bridge, method, { taskId: 'x' })
    expect(message.error).toEqual({ code: -32602, message: 'Unknown task: x' })
  }
})

it('a task whose row somebody else overwrites ends as it would have', async () => {
  await using engine = await startMockEngine()
  await using bridge = await startBridge(engine)
  const { job, taskId } = await beginJob(bridge)
  await engine.call('state::set', { scope: 'mcp-tasks', key: taskId, value: 'text' })
  job.end('done')
  expect(await over(bridge, taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } })
  await expect
    .poll(() => engine.call('state::get', { scope: 'mcp-tasks', key: taskId }))
    .toMatchObject({ status: 'completed' })
})

it('tasks are removed in their time where others have put more among them than a message may have', async () => {
  await using engine = await startMockEngine()
  const log = createLog({ name: 'mcp', level: 'silent' })
  await using worker = registerWorker(engine.url, { name: 'mcp', log, maxMessageBytes: 65_536 })
  await worker.ready()
  const lost = vi.fn()
  worker.onStateChange((state) => state === 'connected' || lost())
  const old = { created_at: 1, updated_at: 1, ttl_ms: 1, deadline_at: 1, keeps_result: true, has_output_schema: true }
  await engine.call('state::set', { scope: 'mcp-tasks', key: 'x', value: { ...FACTS, ...old } })
  await engine.call('state::set', { scope: 'mcp-tasks', key: 'y', value: 'y'.repeat(65_536) })
  const store = createTaskStore(worker, 2_000)
  await expect(store.sweep(Date.now())).rejects.toThrow('connection to the engine was lost')
  await worker.ready()
  await store.sweep(Date.now())
  expect(await engine.call('state::list', { scope: 'mcp-tasks' })).toHaveLength(1)
  expect(lost).toHaveBeenCalledOnce()
})

it('tasks are read on the connection of the bridge again where an engine was only slow', async () => {
  await using engine = await startMockEngine()
  const log = createLog({ name: 'mcp', level: 'silent' })
  await using worker = registerWorker(engine.url, { name: 'mcp', log })
  await worker.ready()
  await engine.call('state::set', { scope: 'mcp-tasks', key: 'x', value: 'text' })
  const trigger = vi.spyOn(worker, 'trigger')
  trigger.mockRejectedValueOnce(new InvocationError('TIMEOUT', 'no answer', 'state::list'))
  const store = createTaskStore(worker, 2_000)
  await expect(store.sweep(Date.now())).rejects.toThrow('no answer')
  for (const listed of [1, 2]) {
    await store.sweep(Date.now())
    expect(trigger).toHaveBeenCalledTimes(listed)
  }
})

import { startMockEngine } from '@iii/mock-engine'
import { createLog, createStateScope, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import { startInvoker, toCall } from '../testing/invoker.ts'
import { begin, offerJob, over, toTaskOptions } from '../testing/tasks.ts'
import { untilAnswer } from '../testing/until.ts'
import { serveTasks, TASKS_EXTENSION } from './index.ts'

const call = toCall({ era: 'stateless', capabilities: { extensions: { [TASKS_EXTENSION]: {} } } })

describe('the time of a task', () => {
  it('is told when it begins, and nothing is left of it afterwards', async () => {
    await using engine = await startMockEngine()
    await using functions = await startInvoker(engine)
    await using worker = registerWorker(engine.url, { name: 'mcp', log: createLog({ name: 'mcp', level: 'silent' }) })
    let time = 1_800_000_000_000
    const { invoker } = functions
    const tasks = serveTasks({ ...toTaskOptions(worker), invoker, now: () => time })
    functions.other.registerFunction('jobs::run', () => 'done')
    functions.other.registerFunction('jobs::never', () => new Promise(() => undefined))
    await functions.other.ready()
    const start = async (id: string) => {
      const metadata = { task: 'optional', timeout_ms: 1_000 } as const
      const job = { invocation: functions.to(id, metadata), worker: undefined, hasOutputSchema: false, takes: [] }
      return (await tasks.begin(job, call, {})) as { taskId: string; ttlMs: number; status: string }
    }
    const get = ({ taskId }: { taskId: string }) => tasks.get({ taskId }, call)
    const [done, running] = [await start('jobs::run'), await start('jobs::never')]
    expect(done.ttlMs).toBe(3_601_000)
    await untilAnswer(
      () => get(done),
      ({ status }) => status === 'completed',
    )
    time += done.ttlMs
    expect(await get(done)).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } })
    time += 1
    await expect(get(done)).rejects.toThrow(/Unknown task/)
    const next = await start('jobs::run')
    await expect(get(running)).rejects.toThrow(/Unknown task/)
    await untilAnswer(
      () => get(next),
      ({ status }) => status === 'completed',
    )
    await tasks.sweep()
    for (const scope of ['mcp-tasks', 'mcp-task-results']) {
      expect(await createStateScope(worker, scope).list()).toHaveLength(1)
    }
    tasks.close()
  })

  it('is said to be the reason when its function takes longer, and no reply', async () => {
    await using engine = await startMockEngine()
    await using bridge = await startBridge(engine)
    offerJob(bridge.other, 'jobs::long', { 'mcp.timeout_ms': 100 })
    await bridge.other.ready()
    const { error } = await over(bridge, await begin(bridge, 'jobs__long'))
    expect((error as { message: string }).message).toMatch(
      /did not answer within 0\.1 s\. .* \(The function asks for no more in its metadata, mcp\.timeout_ms\.\)$/,
    )
  })
})

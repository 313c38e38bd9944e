import { startMockEngine } from '@iii/mock-engine'
import { createLog, createStateScope, registerWorker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startInvoker, toCall } from '../testing/invoker.ts'
import { toTaskOptions } from '../testing/tasks.ts'
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
    const begin = async (id: string) => {
      const metadata = { task: 'optional', timeout_ms: 1_000 } as const
      const job = { invocation: functions.to(id, metadata), worker: undefined, hasOutputSchema: false, takes: [] }
      return (await tasks.begin(job, call, {})) as { taskId: string; ttlMs: number; status: string }
    }
    const get = ({ taskId }: { taskId: string }) => tasks.get({ taskId }, call)
    const [done, running] = [await begin('jobs::run'), await begin('jobs::never')]
    expect(done.ttlMs).toBe(3_601_000)
    await untilAnswer(
      () => get(done),
      ({ status }) => status === 'completed',
    )
    time += done.ttlMs
    expect(await get(done)).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } })
    time += 1
    await expect(get(done)).rejects.toThrow(/Unknown task/)
    const next = await begin('jobs::run')
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
})

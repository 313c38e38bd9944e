import { type EngineGeneration, startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../testing/command.ts'
import { startRegistry } from '../testing/registry.ts'

async function connect(url: string, namespace?: string): Promise<Worker> {
  const log = createLog({ name: 'orders', level: 'silent' })
  const worker = registerWorker(url, { name: 'orders', namespace, log })
  await worker.ready({ timeoutMs: 5_000 })
  return worker
}

const register = (worker: Worker, id: string) =>
  worker.trigger({ function_id: 'skills::register', namespace: 'default', payload: { id, skill: `# ${id}` } })

describe.each<EngineGeneration>(['0.22', '0.23'])('--as, on an engine like %s', (generation) => {
  it('changes what belongs to a worker, which nobody else may, and leaves it to that worker', async () => {
    await using engine = await startMockEngine({ engine: generation })
    await using registry = await startRegistry(engine.url, { ownership: 'strict' })
    const operate = (...words: string[]) => runCommandLine(words, { III_URL: engine.url })
    const orders = await connect(engine.url)
    await register(orders, 'a')
    await register(orders, 'b')
    await orders.shutdown()
    expect(await operate('remove', 'a')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("belongs to the worker 'orders'"),
    })
    expect(await operate('remove', 'a', '--as', 'orders')).toEqual({ code: 0, stdout: '1 removed\n', stderr: '' })
    await using back = await connect(engine.url)
    await register(back, 'b')
    const { skills } = await registry.call<{ skills: unknown[] }>('skills::list')
    expect(skills).toMatchObject([{ id: 'b', owner: 'orders' }])
  })
})

describe('--as, where a name is for one worker at a time', () => {
  it('acts for a worker of another namespace as the list names it, and for a registry elsewhere', async () => {
    await using engine = await startMockEngine({ engine: '0.23' })
    await using _registry = await startRegistry(engine.url, { ownership: 'strict' })
    await using _elsewhere = await startRegistry(engine.url, { ownership: 'strict' }, false, 'shop')
    const operate = (...words: string[]) => runCommandLine(words, { III_URL: engine.url })
    const there = await connect(engine.url, 'orders')
    await register(there, 'a')
    await there.trigger({ function_id: 'skills::register', namespace: 'shop', payload: { id: 'c', skill: '# c' } })
    await there.shutdown()
    expect((await operate('list')).stdout).toContain('@orders/orders')
    expect((await operate('remove', 'a', '--as', 'orders')).code).toBe(1)
    const removed = { code: 0, stdout: '1 removed\n', stderr: '' }
    expect(await operate('remove', 'a', '--as', '@orders/orders')).toEqual(removed)
    expect(await operate('remove', 'c', '--namespace', 'shop', '--as', '@orders/orders')).toEqual(removed)
  })

  it('says whose name it is while that worker runs, and changes nothing', async () => {
    await using engine = await startMockEngine({ engine: '0.23' })
    await using registry = await startRegistry(engine.url, { ownership: 'strict' })
    await using orders = await connect(engine.url)
    await register(orders, 'a')
    const { code, stdout, stderr } = await runCommandLine(['remove', 'a', '--as', 'orders'], { III_URL: engine.url })
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain(`another live worker (id ${orders.workerId}) has the name 'orders' in namespace 'default'`)
    expect((await registry.call<{ skills: unknown[] }>('skills::list')).skills).toHaveLength(1)
  })
})

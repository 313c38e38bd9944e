import { type EngineGeneration, startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startMockStage } from '../testing/mock-stage.ts'
import type { Worker } from '../worker/worker.ts'
import { connectEngine } from './connect-engine.ts'

interface Row {
  id: string
  name: string
}

async function nameOf(worker: Worker): Promise<string | undefined> {
  const { workers } = await worker.trigger<{ workers: Row[] }>({ function_id: 'engine::workers::list' })
  return workers.find(({ id }) => id === worker.workerId)?.name
}

describe.each<EngineGeneration>(['0.22', '0.23'])('a command, on an engine like %s', (engine) => {
  it('has a name that no worker has, whatever the environment calls the worker', async () => {
    await using stage = await startMockStage(() => startMockEngine({ engine }))
    const server = await stage.connect({ name: 'mcp' })
    const said = { url: stage.engine.url, debug: false, workerName: 'mcp' }
    const commands = await Promise.all([1, 2].map(() => connectEngine(said, 'iii-mcp:explain')))
    const names = await Promise.all(commands.map(nameOf))
    expect(names).toEqual(commands.map(({ instance }) => `iii-mcp:explain-${instance.slice(0, 8)}`))
    expect(await nameOf(server)).toBe('mcp')
    await Promise.all(commands.map((command) => command.shutdown()))
  })
})

describe('a command that acts in the name of a worker', () => {
  it('has it while that one is away, and says who has it while it is not', async () => {
    await using stage = await startMockStage(() => startMockEngine({ engine: '0.23' }))
    const said = { url: stage.engine.url, debug: false }
    const owner = await connectEngine(said, 'orders', { naming: 'exact' })
    expect(await nameOf(owner)).toBe('orders')
    const other = connectEngine(said, 'orders', { naming: 'exact', timings: { refusedRetryMs: 60_000 } }, 500)
    await expect(other).rejects.toThrow(
      `the engine at ${stage.engine.url} does not take this command: another live worker (id ${owner.workerId}) has the name 'orders' in namespace 'default' already`,
    )
    await owner.shutdown()
  })
})

describe('a command that is sent to the HTTP port of an engine', () => {
  it('says which port it wants', async () => {
    await using stage = await startMockStage(() => startMockEngine())
    const said = { url: stage.engine.httpUrl.replace('http', 'ws'), debug: false }
    await expect(connectEngine(said, 'iii-mcp:explain', {}, 500)).rejects.toThrow(
      /: start it, or name another with --url or III_URL\. What listens there is no engine, or it is its HTTP port: .* 49134 /,
    )
  })
})

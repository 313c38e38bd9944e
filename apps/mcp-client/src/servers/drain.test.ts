import { describe, expect, it } from 'vitest'
import { settle } from '../testing/manual-clock.ts'
import { toConfig } from '../testing/server-config.ts'
import { allow, startServer } from '../testing/server-stage.ts'

const never = new AbortController().signal
const changed = (command: string) => ({ name: 'demo', config: toConfig({ command }), warnings: [] })

async function isAnew({ processes, server }: Awaited<ReturnType<typeof startServer>>): Promise<void> {
  await settle()
  await settle()
  expect(processes).toHaveLength(2)
  expect(server.status().state).toBe('ready')
}

describe('a server that is to start anew', () => {
  it('lets its open calls end, however often that is said', async () => {
    await using stage = await startServer()
    await allow(stage)
    const leave = await stage.server.queue.enter(never)
    stage.server.restart()
    await stage.clock.advance(100)
    stage.server.restart()
    stage.server.apply(changed('another'))
    stage.server.apply(changed('one more'))
    await stage.clock.advance(100)
    expect(stage.processes).toHaveLength(1)
    leave()
    await isAnew(stage)
  })

  it('is connecting meanwhile, which is what calls are told that wait for it too long', async () => {
    await using stage = await startServer({ config: { timeouts: { ...toConfig().timeouts, stopMs: 30_000 } } })
    await allow(stage)
    await stage.server.queue.enter(never)
    stage.server.restart()
    const reached = stage.server.reach(never)
    reached.catch(() => undefined)
    await stage.clock.advance(5_000)
    expect(stage.server.status().state).toBe('connecting')
    await expect(reached).rejects.toThrow("The MCP server 'demo' is not there (connecting)")
  })

  it('waits no longer than a moment for them, counted from the first time', async () => {
    await using stage = await startServer()
    await allow(stage)
    await stage.server.queue.enter(never)
    stage.server.restart()
    await stage.clock.advance(1_900)
    stage.server.restart()
    expect(stage.processes).toHaveLength(1)
    await stage.clock.advance(100)
    expect(stage.processes).toHaveLength(2)
  })

  it('does not wait for calls that wait for it', async () => {
    await using stage = await startServer()
    await allow(stage)
    const leave = await stage.server.queue.enter(never)
    stage.server.restart()
    await stage.server.queue.enter(never)
    const reached = stage.server.reach(never)
    leave()
    leave()
    await reached
    expect(stage.processes).toHaveLength(2)
    expect(stage.server.queue.running).toBe(1)
  })

  it('and is in the file again before its calls are over, ends after them and starts anew', async () => {
    await using stage = await startServer()
    await allow(stage)
    const leave = await stage.server.queue.enter(never)
    stage.server.retire()
    await stage.clock.advance(100)
    stage.server.allow(true)
    await settle()
    expect(stage.processes).toHaveLength(1)
    leave()
    await isAnew(stage)
  })
})

describe('a server that says that its tools have changed', () => {
  it('while they are listed for the first time is listed again', async () => {
    const pages: number[] = []
    await using stage = await startServer({
      answer({ method, id }, process) {
        if (method === 'initialize') {
          const serverInfo = { name: 'slow', version: '1' }
          process.say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } })
        }
        if (method === 'tools/list') pages.push(id as number)
      },
    })
    await allow(stage)
    const list = (id: number | undefined, ...names: string[]) =>
      stage.last().say({ id, result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) } })
    stage.last().say({ method: 'notifications/tools/list_changed' })
    await stage.clock.advance(1_000)
    expect(stage.server.status().state).toBe('connecting')
    list(pages[0], 'old')
    await settle()
    await stage.clock.advance(1_000)
    expect(pages).toHaveLength(2)
    list(pages[1], 'old', 'late')
    await settle()
    expect(stage.ids()).toEqual(['demo::old', 'demo::late'])
    await stage.clock.advance(60_000)
    expect(pages).toHaveLength(2)
  })
})

import { describe, expect, it } from 'vitest'
import type { ServerConfig } from '../configuration/server-config.ts'
import { settle } from '../testing/manual-clock.ts'
import { toConfig } from '../testing/server-config.ts'
import { allow, type MemoryServerStage, startServer } from '../testing/server-stage.ts'

const apply = async ({ server }: MemoryServerStage, config: Partial<ServerConfig>) => {
  server.apply({ name: 'demo', config: toConfig(config), warnings: [] })
  await settle()
}
const { timeouts, concurrency } = toConfig()

describe('a server whose entry changes', () => {
  it('goes on under changed limits, and starts anew for another command', async () => {
    await using stage = await startServer()
    await allow(stage)
    await apply(stage, { tools: { allow: ['*'], deny: ['echo'] } })
    expect(stage.ids()).toEqual([])
    expect(stage.server.status().tools).toMatchObject([{ tool: 'echo', state: 'denied' }])
    await apply(stage, { command: 'another' })
    await stage.clock.advance(2_000)
    expect(stage.processes).toHaveLength(2)
    await apply(stage, { command: 'another', isTrusted: false })
    await stage.clock.advance(2_000)
    expect(stage.server.status().state).toBe('untrusted')
    expect(stage.ids()).toEqual([])
  })

  it('has functions that may take as long as it says now', async () => {
    await using stage = await startServer()
    await allow(stage)
    await apply(stage, { timeouts: { ...timeouts, callMs: 300_000 } })
    await apply(stage, { concurrency: { ...concurrency, waitMs: 600_000 } })
    await apply(stage, { concurrency: { ...concurrency, waitMs: 600_000, calls: 9 } })
    expect(stage.changes).toEqual(['+demo::echo', '~demo::echo', '~demo::echo'])
  })
})

import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'
import { createSkillTools } from './skill-tools.ts'

interface Answer {
  readonly contents: readonly unknown[]
  readonly _meta?: unknown
}

describe('the text of a skill', () => {
  it.each(['all', 'search'] as const)(
    'has beside it all tools that name the skill and that the reader may call, where %s are listed',
    async (tools) => {
      await using engine = await startMockEngine()
      await using bridge = await startBridge(engine, { options: { tools, hiddenPrefixes: ['secret'] } })
      await using skills = await startSkillsWorker(engine.url)
      skills.skills.set('other', '# Other\n')
      const offer = (id: string, skill: string) =>
        bridge.other.registerFunction(id, () => 'done', { metadata: { 'mcp.skill': skill } })
      for (const id of ['orders::refund', 'orders::cancel', 'secret::refund']) offer(id, 'orders')
      offer('stock::count', 'stock')
      await bridge.other.ready()
      const read = (uri: string) => bridge.result<Answer>('resources/read', { uri })
      await vi.waitFor(
        async () =>
          expect((await read('iii://orders'))._meta).toEqual({ 'iii/tools': ['orders__cancel', 'orders__refund'] }),
        { timeout: 10_000 },
      )
      expect(Object.keys(await read('iii://other'))).toEqual(['contents'])
      expect(Object.keys(await read('iii://skills'))).toEqual(['contents'])
    },
  )

  it('is read without them where nothing is known of tools', () => {
    const toolsOf = createSkillTools({ catalog: { known: () => [] } })
    expect(toolsOf('orders', {} as never)).toBe(undefined)
  })
})

import { startMockEngine } from '@iii/mock-engine'
import { skillsFunctions } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { startRegistry } from '../testing/registry.ts'

describe('files of skills', () => {
  it('are suggested where an address has none, and only to whoever may read them', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const register = (id: string, skill: string, files?: readonly object[]) =>
      registry.call(skillsFunctions.register.id, { id, skill, files })
    await register('team/orders', '# Orders\n', [{ path: 'references/LIMITS.md', text: '# Limits\n' }])
    await register('team/ordering', '# Hidden\n')
    const refuse = async (uri: string, skills?: string[]) =>
      (
        await registry.fault(
          skillsFunctions.resourcesRead.id,
          { uri },
          { mcp: { call_id: 'c', via: 'mcp::b', skills } },
        )
      ).message
    for (const [path, right] of [
      ['team/order/SKILL.md', 'team/orders/SKILL.md'],
      ['team/orders', 'team/orders/SKILL.md'],
      ['team/orders/skill.md', 'team/orders/SKILL.md'],
      ['team/orders/LIMITS.md', 'team/orders/references/LIMITS.md'],
    ]) {
      const message = await refuse(`skill://${path}`, ['team/orders'])
      expect(message).toMatch(`No file of a skill is at skill://${path}. Did you mean `)
      expect(message).toContain(`skill://${right}`)
      expect(message).not.toContain('ordering')
      expect(message).toMatch(/\? iii:\/\/skills has all skills$/)
    }
    expect(await refuse('skill://team/order/SKILL.md')).toContain('skill://team/ordering/SKILL.md')
    expect(await refuse('skill://xyz/q.md')).toBe(
      'No file of a skill is at skill://xyz/q.md. iii://skills has all skills',
    )
  })
})

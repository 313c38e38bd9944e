import { startMockEngine } from '@iii/mock-engine'
import { type AgentSkillEntry, agentSkillsFunctions, skillsFunctions } from '@iii/protocol'
import { expect, it } from 'vitest'
import { startRegistry } from '../testing/registry.ts'

it('names have 64 characters at most: longer ids are refused, and a longer name becomes the title', async () => {
  await using engine = await startMockEngine()
  await using registry = await startRegistry(engine.url)
  const [a64, a65] = ['a'.repeat(64), 'a'.repeat(65)]
  const register = skillsFunctions.register.id
  await registry.call(register, { id: a64, skill: `---\nname: ${a64}\ndescription: Long.\n---\n` })
  await registry.call(register, { id: 'b', skill: `---\nname: ${a65}\ndescription: Longer.\n---\n` })
  expect(await registry.refusal(register, { id: a65, skill: '# Longer' })).toContain(
    'segment too long (65 chars; max 64)',
  )
  const { skills } = await registry.call<{ skills: AgentSkillEntry[] }>(agentSkillsFunctions.list.id)
  expect(skills.map(({ uri, frontmatter }) => [uri, frontmatter])).toEqual([
    [`skill://${a64}/SKILL.md`, { name: a64, description: 'Long.' }],
    ['skill://b/SKILL.md', { name: 'b', description: 'Longer.', metadata: { title: a65, 'iii-source': 'iii://b' } }],
  ])
})

import { expect, it } from 'vitest'
import { type AgentSkillsOptions, createAgentSkills } from './agent-skills.ts'

it('a page is kept for whoever asks for it again, but not under a text that is longer than any skills have', async () => {
  const none: never[] = []
  const skills = { list: async () => none } as Partial<AgentSkillsOptions['skills']> as AgentSkillsOptions['skills']
  const files = { read: async () => undefined, list: async () => none }
  const log = { warn: () => undefined }
  const agentSkills = createAgentSkills({ skills, files, frontmatter: () => 'render', log })
  const isKept = async (after: string | undefined, prefixes?: string[]) => {
    const made = await agentSkills.list(after, prefixes)
    return made === (await agentSkills.list(after, prefixes))
  }

  for (const after of [undefined, '', 'orders', 'x'.repeat(4_096)]) expect(await isKept(after)).toBe(true)
  expect(await isKept(undefined, ['orders'])).toBe(true)
  expect(await isKept('x'.repeat(1_000_000))).toBe(false)
  expect(await isKept(undefined, ['x'.repeat(1_000_000)])).toBe(false)
})

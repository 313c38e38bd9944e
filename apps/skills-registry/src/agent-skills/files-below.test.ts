import { startMockEngine } from '@iii/mock-engine'
import { type AgentSkillEntry, agentSkillsFunctions, skillsFunctions } from '@iii/protocol'
import { expect, it } from 'vitest'
import { startRegistry } from '../testing/registry.ts'

const SKILL = '---\nname: orders\ndescription: Orders.\n---\nSee [rates](limits/rates.csv).\n'

it('files of a text below a skill are files of the skill, in a folder beside the text', async () => {
  await using engine = await startMockEngine()
  await using registry = await startRegistry(engine.url)
  const { call, fault } = registry
  const register = (id: string, skill: string, files: Record<string, string>) =>
    call(skillsFunctions.register.id, {
      id,
      skill,
      files: Object.entries(files).map(([path, text]) => ({ path, text })),
    })
  await register('orders', SKILL, { 'limits/own.csv': 'of the skill' })
  await register('orders/limits', '# Limits\n', { 'rates.csv': 'a;b', 'own.csv': 'of the text', 'deep/x.txt': 'x' })
  const { skills } = await call<{ skills: AgentSkillEntry[] }>(agentSkillsFunctions.list.id)
  expect(skills.map(({ resources }) => resources.map(({ uri }) => uri))).toEqual([
    [
      'skill://orders/SKILL.md',
      'skill://orders/limits/deep/x.txt',
      'skill://orders/limits/own.csv',
      'skill://orders/limits/rates.csv',
      'skill://orders/limits.md',
    ],
  ])
  const read = async (uri: string) =>
    (await call<{ contents: { text: string }[] }>(skillsFunctions.resourcesRead.id, { uri })).contents[0]?.text
  expect(await read('skill://orders/limits/rates.csv')).toBe('a;b')
  // Of two with one address that of the skill counts.
  expect(await read('skill://orders/limits/own.csv')).toBe('of the skill')
  const directory = async (uri: string) =>
    (await call<{ resources: { name: string }[] }>(agentSkillsFunctions.directory.id, { uri })).resources.map(
      ({ name }) => name,
    )
  expect(await directory('skill://orders')).toEqual(['orders', 'limits', 'limits.md'])
  expect(await directory('skill://orders/limits')).toEqual(['deep', 'own.csv', 'rates.csv'])
  // Whoever may not read the text has none of its files.
  const entry = await call<AgentSkillEntry>(agentSkillsFunctions.get.id, {
    uri: 'skill://orders/SKILL.md',
    prefixes: ['orders'],
  })
  expect(entry).toEqual(skills[0])
  const hidden = { uri: 'skill://orders/limits/rates.csv' }
  const sidecar = { mcp: { call_id: 'c', via: 'mcp::b', skills: ['orders/other'] } }
  expect(await fault(skillsFunctions.resourcesRead.id, hidden, sidecar)).toMatchObject({ code: 'not_found' })
  await register('orders/limits', '# Limits\n', {})
  expect(await fault(skillsFunctions.resourcesRead.id, hidden)).toMatchObject({ code: 'not_found' })
})

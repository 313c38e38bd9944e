import { startMockEngine } from '@iii/mock-engine'
import { type AgentSkillEntry, agentSkillsFunctions, skillsFunctions } from '@iii/protocol'
import { expect, it } from 'vitest'
import { startRegistry } from '../testing/registry.ts'

const SKILL = { id: 'orders', skill: '---\nname: orders\ndescription: Orders.\n---\nText\n' }
const uri = 'skill://orders/SKILL.md'

it('while its store fails, a registry that has read nothing yet lists no skill by a fault, and all of them later', async () => {
  await using engine = await startMockEngine()
  await using first = await startRegistry(engine.url)
  await first.call(skillsFunctions.register.id, SKILL)
  const list = agentSkillsFunctions.list.id
  const before = await first.call<{ skills: AgentSkillEntry[] }>(list)
  expect(before.skills).toHaveLength(1)
  await first[Symbol.asyncDispose]()
  {
    using _broken = engine.inject({ fault: 'fail-call', function: 'state::*', message: 'disk on fire' })
    await using second = await startRegistry(engine.url)
    for (const [id, payload] of [
      [list, {}],
      [agentSkillsFunctions.get.id, { uri }],
      [agentSkillsFunctions.directory.id, { uri: 'skill://' }],
      [skillsFunctions.resourcesRead.id, { uri }],
    ] as const) {
      // Not found would be told of a skill that is there.
      expect((await second.fault(id, payload)).code).not.toBe('not_found')
    }
  }
  await using third = await startRegistry(engine.url)
  expect(await third.call(list)).toEqual(before)
})

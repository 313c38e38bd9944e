import { createHash } from 'node:crypto'
import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { type AgentSkillEntry, agentSkillsFunctions, skillsFunctions } from '@iii/protocol'
import { expect, it } from 'vitest'
import { startRegistry } from '../testing/registry.ts'

const uri = 'skill://plain/SKILL.md'
const TEXT = '# Plain\n\nWhat it is for.\n'

/** An index as a registry wrote it that made another text of the skill. */
function toOther(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toOther)
  if (typeof value !== 'object' || value === null) return value
  const { rendered, ...rest } = value as Record<string, unknown>
  const others = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, toOther(part)]))
  return rendered === undefined ? others : { ...others, rendered: { sha256: 'f'.repeat(64), bytes: 1 } }
}

it('a skill that another version of the registry would serve otherwise is served as this one makes it', async () => {
  const sharedState = createSharedState()
  await using engine = await startMockEngine({ sharedState })
  {
    await using before = await startRegistry(engine.url)
    await before.call(skillsFunctions.register.id, { id: 'plain', skill: TEXT })
  }
  let changed = 0
  for (const scope of [...sharedState.scopes()].filter((name) => name.startsWith('skills::index'))) {
    for (const [key, value] of [...sharedState.entries(scope)]) {
      const other = JSON.stringify(toOther(JSON.parse(value)))
      if (other !== value) changed += 1
      sharedState.set(scope, key, other)
    }
  }
  expect(changed).toBeGreaterThan(0)
  await using registry = await startRegistry(engine.url)
  const get = () => registry.call<AgentSkillEntry>(agentSkillsFunctions.get.id, { uri })
  expect((await get()).resources).toEqual([{ uri, digest: `sha256:${'f'.repeat(64)}`, size: 1 }])
  const { contents } = await registry.call<{ contents: { text: string }[] }>(skillsFunctions.resourcesRead.id, { uri })
  const text = contents[0]?.text ?? ''
  expect(text).toContain(TEXT)
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
  expect((await get()).resources).toEqual([{ uri, digest, size: Buffer.byteLength(text) }])
})

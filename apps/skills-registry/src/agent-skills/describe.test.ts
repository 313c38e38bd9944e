import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { agentSkillsFunctions, skillsFunctions } from '@iii/protocol'
import { expect, it } from 'vitest'
import { startRegistry } from '../testing/registry.ts'

/** The same without what lists of Agent Skills show, as a registry wrote it that knew nothing of them. */
function toOlder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toOlder)
  if (typeof value !== 'object' || value === null) return value
  const { agent: _agent, ...rest } = value as Record<string, unknown>
  return Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, toOlder(part)]))
}

it('a row that is no skill any more is left out of the lists of Agent Skills, and told once', async () => {
  const sharedState = createSharedState()
  await using engine = await startMockEngine({ sharedState })
  {
    await using before = await startRegistry(engine.url)
    for (const id of ['good', 'odd']) await before.call('skills::register', { id, skill: `# ${id}\n\nWhat it is for.` })
  }
  const scopes = [...sharedState.scopes()].filter((scope) => scope.startsWith('skills::index'))
  expect(scopes).not.toEqual([])
  for (const scope of scopes) {
    for (const [key, value] of [...sharedState.entries(scope)])
      sharedState.set(scope, key, JSON.stringify(toOlder(JSON.parse(value))))
  }
  await using registry = await startRegistry(engine.url, { listSkillFiles: true })
  await registry.call('skills::list')
  sharedState.set('skills', 'odd', JSON.stringify({ junk: true }))
  const uris = async () =>
    (await registry.call<{ resources: { uri: string }[] }>(skillsFunctions.resourcesList.id)).resources.map(
      (row) => row.uri,
    )
  for (let round = 0; round < 2; round += 1) {
    expect(await uris()).toEqual(['iii://skills', 'iii://good', 'iii://odd', 'skill://good/SKILL.md'])
    const { skills } = await registry.call<{ skills: { uri: string }[] }>(agentSkillsFunctions.list.id)
    expect(skills.map(({ uri }) => uri)).toEqual(['skill://good/SKILL.md'])
    // Another list is another look.
    await registry.call('skills::register', { id: `later/${round}`, skill: 'x' })
    await registry.call('skills::unregister', { id: `later/${round}` })
  }
  expect(registry.warnings.filter(({ skill }) => skill === 'odd')).toEqual([
    expect.objectContaining({ reason: expect.stringMatching(/^decode stored skill odd: /) }),
  ])
  const { code } = await registry.fault(skillsFunctions.resourcesRead.id, { uri: 'iii://odd' })
  expect(code).toBe('internal')
})

import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { agentSkillsFunctions, skillsFunctions } from '@iii/protocol'
import { expect, it } from 'vitest'
import { startRegistry } from '../testing/registry.ts'

/** The same as a newer registry wrote it, which gives skills another form. */
function toNewer(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, part) => (key === 'rendition' ? Number(part) + 1 : part)))
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
      sharedState.set(scope, key, JSON.stringify(toNewer(JSON.parse(value))))
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

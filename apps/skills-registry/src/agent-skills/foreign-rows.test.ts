import { createHash } from 'node:crypto'
import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { type AgentSkillEntry, agentSkillsFunctions, skillsFunctions } from '@iii/protocol'
import { expect, it } from 'vitest'
import { RENDITION } from '../renditions/render.ts'
import { startRegistry } from '../testing/registry.ts'

const registered_at = '2026-01-01T00:00:00.000000Z'
const SKILL = '---\nname: orders\ndescription: Orders.\n---\n'
const uri = 'skill://orders/SKILL.md'
const toHash = (text: string) => createHash('sha256').update(text).digest('hex')

it.each(['../../../etc/x', 'SKILL.md', 'a\\b', '/etc/x', '', 'a/./b'])(
  'a row that names a file %j is no skill: no host is told of an address that leads elsewhere',
  async (path) => {
    await using engine = await startMockEngine()
    const files = [{ path, sha256: toHash('x'), bytes: 1, mimeType: 'text/plain' }]
    const value = { id: 'orders', skill: SKILL, files, registered_at }
    await engine.call('state::set', { scope: 'skills', key: 'orders', value })
    await using registry = await startRegistry(engine.url)
    await registry.call(skillsFunctions.register.id, { id: 'good', skill: '# Good' })
    const { skills } = await registry.call<{ skills: AgentSkillEntry[] }>(agentSkillsFunctions.list.id)
    expect(skills.map((skill) => skill.uri)).toEqual(['skill://good/SKILL.md'])
    expect(await registry.refusal(agentSkillsFunctions.files.id, { id: 'orders' })).toMatch(
      /^decode stored skill orders: files: .*file path.*\[internal\]$/,
    )
  },
)

it('a content that somebody has written over is not read as what was announced', async () => {
  await using engine = await startMockEngine()
  await using registry = await startRegistry(engine.url)
  const files = [{ path: 'a.txt', text: 'ours' }]
  await registry.call(skillsFunctions.register.id, { id: 'orders', skill: SKILL, files })
  const sha256 = toHash('ours')
  const value = { id: 'orders', sha256, text: 'theirs', registered_at }
  await engine.call('state::set', { scope: 'skills::files', key: `orders#${sha256}`, value })
  const read = () => registry.fault(skillsFunctions.resourcesRead.id, { uri: 'skill://orders/a.txt' })
  expect((await read()).message).not.toContain('theirs')
})

/** Writes over what the index says of the only skill. */
async function overwriteIndex(sharedState: ReturnType<typeof createSharedState>, url: string, entry: object) {
  {
    await using before = await startRegistry(url)
    await before.call(skillsFunctions.register.id, { id: 'orders', skill: SKILL })
  }
  for (const scope of sharedState.scopes().filter((name) => name.startsWith('skills::index::'))) {
    for (const [key, text] of [...sharedState.entries(scope)]) {
      const row = JSON.parse(text) as { entry: object }
      sharedState.set(scope, key, JSON.stringify({ ...row, entry: { ...row.entry, ...entry } }))
    }
  }
}

const agent = { sha256: toHash(SKILL), declares: true, rendition: RENDITION }
const ENTRIES: Readonly<Record<string, object>> = {
  'a size below nothing': { bytes: -3 },
  'a priority beyond all': { priority: 7 },
  'texts with what nobody sees, and without end': {
    title: '\u001b[31mred\u202e',
    summary: `\u0007${'A'.repeat(100_000)}`,
  },
  'a time without end': { registered_at: 'x'.repeat(10_000) },
  'front matter without a name': { agent: { ...agent, frontmatter: { name: 5 } } },
  'metadata that is no mapping': {
    agent: { ...agent, frontmatter: { name: 'orders', description: 'd', metadata: 'none' } },
  },
  'a file elsewhere': { files: [{ path: '../../x', sha256: toHash('x'), bytes: 1, mimeType: 'text/plain' }] },
}

it.each(Object.keys(ENTRIES))(
  'lists are such as clients take where somebody has written %s into the index',
  async (what) => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    await overwriteIndex(sharedState, engine.url, ENTRIES[what] ?? {})
    await using registry = await startRegistry(engine.url)
    const lists = [await registry.call(skillsFunctions.list.id), await registry.call(skillsFunctions.resourcesList.id)]
    const text = JSON.stringify(lists)
    expect(text).toMatch(/^[^\p{Cc}\u202e]*$/u)
    expect(text).not.toContain('\\u00')
    expect(text.length).toBeLessThan(2000)
    const { skills } = await registry.call<{ skills: AgentSkillEntry[] }>(agentSkillsFunctions.list.id)
    expect(skills).toEqual([
      {
        uri,
        frontmatter: { name: 'orders', description: 'Orders.' },
        resources: [{ uri, digest: `sha256:${toHash(SKILL)}`, size: SKILL.length }],
      },
    ])
    expect(registry.warnings.filter(({ text: said }) => String(said).includes('breaks'))).toEqual([])
    expect(registry.workerSaid.filter((said) => said.includes('breaks'))).toEqual([])
  },
)

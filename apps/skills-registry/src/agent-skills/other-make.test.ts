import { createHash } from 'node:crypto'
import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { type AgentSkillEntry, agentSkillsFunctions, skillsFunctions } from '@iii/protocol'
import { expect, it } from 'vitest'
import { RENDITION } from '../renditions/render.ts'
import { startRegistry } from '../testing/registry.ts'

const uri = 'skill://plain/SKILL.md'
const TEXT = '# Plain\n\nWhat it is for.\n'

/** An index as a registry wrote it that made another text of the skill. */
function toOther(value: unknown, rendition: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { rendered, ...rest } = value as Record<string, unknown>
  const toPart = (key: string, part: unknown) => (key === 'title' ? 'Of another make' : toOther(part, rendition))
  const others = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, toPart(key, part)]))
  return rendered === undefined ? others : { ...others, rendered: { sha256: 'f'.repeat(64), bytes: 1 }, rendition }
}

/** A store with a skill that another version of the registry has indexed. */
async function fillAsOther(sharedState: ReturnType<typeof createSharedState>, url: string, rendition: unknown) {
  {
    await using before = await startRegistry(url)
    await before.call(skillsFunctions.register.id, { id: 'plain', skill: TEXT })
  }
  let changed = 0
  for (const scope of [...sharedState.scopes()].filter((name) => name.startsWith('skills::index'))) {
    for (const [key, value] of [...sharedState.entries(scope)]) {
      const other = JSON.stringify(toOther(JSON.parse(value), rendition))
      if (other !== value) changed += 1
      sharedState.set(scope, key, other)
    }
  }
  expect(changed).toBeGreaterThan(0)
}

it.each([undefined, RENDITION - 1, RENDITION + 1])(
  'a skill that a registry of the form %j has indexed is announced as this one makes it, before anybody reads it',
  async (rendition) => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    await fillAsOther(sharedState, engine.url, rendition)
    await using registry = await startRegistry(engine.url)
    const { skills } = await registry.call<{ skills: AgentSkillEntry[] }>(agentSkillsFunctions.list.id)
    const { contents } = await registry.call<{ contents: { text: string }[] }>(skillsFunctions.resourcesRead.id, {
      uri,
    })
    const text = contents[0]?.text ?? ''
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
    expect(skills[0]?.resources).toEqual([{ uri, digest, size: Buffer.byteLength(text) }])
  },
)

it('a skill of which the index is wrong is served as this registry makes it', async () => {
  const sharedState = createSharedState()
  await using engine = await startMockEngine({ sharedState })
  await fillAsOther(sharedState, engine.url, RENDITION)
  await using registry = await startRegistry(engine.url)
  const get = () => registry.call<AgentSkillEntry>(agentSkillsFunctions.get.id, { uri })
  expect((await get()).resources).toEqual([{ uri, digest: `sha256:${'f'.repeat(64)}`, size: 1 }])
  const { contents } = await registry.call<{ contents: { text: string }[] }>(skillsFunctions.resourcesRead.id, { uri })
  const text = contents[0]?.text ?? ''
  expect(text).toContain(TEXT)
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
  expect((await get()).resources).toEqual([{ uri, digest, size: Buffer.byteLength(text) }])
})

it.each([
  [undefined, 'Plain'],
  [RENDITION - 1, 'Plain'],
  [RENDITION + 1, 'Of another make'],
])(
  'a skill that a registry of the form %j has indexed is listed as %s, from the next start on',
  async (form, title) => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    await fillAsOther(sharedState, engine.url, form)
    for (const _start of ['first', 'second']) {
      await using registry = await startRegistry(engine.url)
      const { contents } = await registry.call<{ contents: { text: string }[] }>(skillsFunctions.resourcesRead.id, {
        uri: 'iii://skills',
      })
      expect(contents[0]?.text).toContain(`[${title}](iii://plain)`)
    }
    const index = [...sharedState.scopes()].filter((name) => name.startsWith('skills::index'))
    const stored = index.flatMap((scope) => [...sharedState.entries(scope)]).join('')
    expect(stored).toContain(`"title":"${title}"`)
  },
)

import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { type AgentSkillEntry, agentSkillsFunctions, formatSkillUri, skillsFunctions } from '@iii/protocol'
import { expect, it, vi } from 'vitest'
import { startRegistry } from '../testing/registry.ts'

const COUNT = 12
const FILES = 20
/** In an address each letter takes twelve. */
const LONG = '😀'.repeat(120)

const toSkill = (at: number) => {
  const files = Array.from({ length: FILES }, (_, n) => ({
    path: `${LONG}/${n}.md`,
    text: `${n}`,
  }))
  return { id: `s${at}`, skill: `# Skill ${at}\n\nWhat it is for.\n`, files }
}

it('skills with many files are listed in pages of 256 KiB, and no file is read for any list', async () => {
  await using engine = await startMockEngine({ sharedState: createSharedState() })
  {
    await using first = await startRegistry(engine.url)
    for (let at = 0; at < COUNT; at += 1) await first.call(skillsFunctions.register.id, toSkill(at))
  }
  const asked: string[] = []
  engine.onFrame(({ direction, text }) => {
    if (direction === 'in' && text.includes('"scope":"skills::files"')) asked.push(text)
  })
  await using registry = await startRegistry(engine.url)
  // It looks at the files once, to have them when the store is emptied.
  await vi.waitFor(() => expect(asked).toContainEqual(expect.stringContaining('state::list')), { timeout: 10_000 })
  asked.length = 0
  const pages: { skills: AgentSkillEntry[]; after?: string }[] = []
  do {
    const after = pages.at(-1)?.after
    pages.push(await registry.call(agentSkillsFunctions.list.id, after === undefined ? {} : { after }))
  } while (pages.at(-1)?.after !== undefined)
  await registry.call(skillsFunctions.list.id)
  await registry.call(skillsFunctions.resourcesList.id)
  await registry.call(agentSkillsFunctions.directory.id, { uri: 'skill://s7' })
  const skills = pages.flatMap((page) => page.skills)
  expect(skills.map(({ resources }) => resources.length)).toEqual(Array<number>(COUNT).fill(FILES + 1))
  expect(asked).toEqual([])
  // Entries of so many files fill a page before there are a hundred.
  expect(pages.length).toBeGreaterThan(1)
  for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page.skills))).toBeLessThanOrEqual(257 * 1024)
  const uri = formatSkillUri(`s7/${LONG}/7.md`)
  expect(await registry.call(skillsFunctions.resourcesRead.id, { uri })).toMatchObject({ contents: [{ text: '7' }] })
  expect(asked).not.toEqual([])
})

import { startMockEngine } from '@iii/mock-engine'
import { agentSkillsFunctions, skillsFunctions } from '@iii/protocol'
import { expect, it } from 'vitest'
import { createFullStore, toFullStoreId } from '../testing/full-store.ts'
import { startRegistry } from '../testing/registry.ts'

const COUNT = 100
const FILES = 511
const MESSAGE = 8 * 1024 * 1024

const toFiles = () =>
  Array.from({ length: FILES }, (_, at) => ({
    path: `references/chapters/of-what-is-known/${at}.md`,
    sha256: at.toString(16).padStart(64, '0'),
    bytes: 1,
    mimeType: 'text/markdown',
  }))

it('a registry starts on short skills with many files without a message above 8 MiB, and serves', async () => {
  const sharedState = createFullStore({ count: COUNT, toBody: (at) => `# Skill ${at}`, toFiles })
  const stored = sharedState.values('skills').map((row) => JSON.stringify(row).length)
  expect(stored.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(MESSAGE)
  await using engine = await startMockEngine({ sharedState })
  let longest = 0
  engine.onFrame(({ text }) => {
    longest = Math.max(longest, text.length)
  })
  await using registry = await startRegistry(engine.url)
  const { skills } = await registry.call<{ skills: { files: number }[] }>(skillsFunctions.list.id)
  expect(skills.map(({ files }) => files)).toEqual(Array<number>(COUNT).fill(FILES))
  const { files } = await registry.call<{ files: unknown[] }>(agentSkillsFunctions.files.id, { id: toFullStoreId(7) })
  expect(files).toHaveLength(FILES)
  expect(longest).toBeLessThan(MESSAGE)
  expect(registry.warnings).toEqual([])
})

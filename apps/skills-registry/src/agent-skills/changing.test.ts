import { createHash } from 'node:crypto'
import { startMockEngine } from '@iii/mock-engine'
import { type AgentSkillEntry, agentSkillsFunctions, skillsFunctions } from '@iii/protocol'
import { expect, it } from 'vitest'
import { startRegistry } from '../testing/registry.ts'

const ROUNDS = 500
const URI = 'skill://orders/SKILL.md'

/** What is at each address in a version. */
const toTexts = (version: number): Readonly<Record<string, string>> => ({
  [URI]: `---\nname: orders\ndescription: Number ${version}.\n---\n`,
  'skill://orders/a.txt': `a ${version}`,
  'skill://orders/b.txt': `b ${version}`,
})

const toDigests = (version: number) =>
  Object.entries(toTexts(version)).map(([uri, text]) => ({
    uri,
    digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
  }))

async function start() {
  const engine = await startMockEngine()
  const registry = await startRegistry(engine.url)
  const { call } = registry
  return {
    async write(version: number) {
      const { [URI]: skill, ...rest } = toTexts(version)
      const files = Object.entries(rest).map(([uri, text]) => ({ path: uri.slice('skill://orders/'.length), text }))
      await call(skillsFunctions.register.id, { id: 'orders', skill, files })
    },
    /** The digests of all files, as they are announced. */
    async announced() {
      const { resources } = await call<AgentSkillEntry>(agentSkillsFunctions.get.id, { uri: URI })
      return resources.map(({ uri, digest }) => ({ uri, digest }))
    },
    async read(uri: string) {
      const { contents } = await call<{ contents: [{ text: string }] }>(skillsFunctions.resourcesRead.id, { uri })
      return contents[0].text
    },
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}

it('a skill that changes is one version or the next: what is announced, what is read, and never a mixture', async () => {
  await using stage = await start()
  await stage.write(0)
  for (let version = 1; version <= ROUNDS; version += 1) {
    const [before, after] = [version - 1, version].map((which) => ({
      digests: toDigests(which),
      texts: toTexts(which),
    }))
    expect(await stage.announced()).toEqual(before?.digests)
    const writing = stage.write(version)
    // Whoever asks meanwhile.
    const [uri = URI] = [Object.keys(toTexts(version))[version % 3]]
    const [announced, text] = await Promise.all([stage.announced(), stage.read(uri)])
    expect([before?.digests, after?.digests]).toContainEqual(announced)
    expect([before?.texts[uri], after?.texts[uri]]).toContain(text)
    await writing
    // Whoever was announced the version before.
    for (const [at, now] of Object.entries(toTexts(version))) expect(await stage.read(at)).toBe(now)
    expect(await stage.announced()).toEqual(after?.digests)
  }
}, 120_000)

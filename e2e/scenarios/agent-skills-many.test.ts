import { createHash } from 'node:crypto'
import { Client } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { afterAll, beforeAll, expect } from 'vitest'
import { parse } from 'yaml'
import { runInspector } from '../inspector.ts'
import { stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { toNewTransport } from '../transports.ts'

const COUNT = 1000
const AT_ONCE = 16

let stack: Stack

beforeAll(async () => {
  stack = await startStack({ workers: ['skills', 'bridge'] })
  await forEachAtOnce(
    Array.from({ length: COUNT }, (_, at) => toSkill(at)),
    (payload) => stack.worker.trigger({ function_id: 'skills::register', payload }),
  )
})
afterAll(() => stack?.[Symbol.asyncDispose]())

/** Of each three one is served as it is, one is given front matter, and one has typed front matter of its own; each tenth has a file. */
function toSkill(at: number) {
  const name = `skill-${at}`
  const texts = [
    `---\nname: ${name}\ndescription: Number ${at} 😀.\n---\r\nText\r\n`,
    `\uFEFF# Number ${at}\n\nWhat it is for.\n`,
    `---\nname: ${name}\ndescription: "Number: ${at}"\ntags: [a, 1, true, null]\nmetadata: { since: 2026-01-01, deep: { n: 1.5 } }\n---\n`,
  ]
  const files = at % 10 === 0 ? [{ path: 'scripts/Run it.sh', text: `exit ${at}\n` }] : []
  return { id: `group-${at % 7}/${name}`, skill: texts[at % 3], files }
}

async function forEachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values()
  const lane = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

const FRONT_MATTER = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/

for (const transport of ['HTTP', 'stdio']) {
  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    scenario(
      ['skills/extension'],
      `each file of a thousand skills has the bytes, and each SKILL.md the front matter, that were announced: ${transport}, ${mode === 'legacy' ? 'in a session' : 'on 2026-07-28'}`,
      async () => {
        const client = new Client({ name: 'e2e', version: '0.0.0' }, { versionNegotiation: { mode } })
        await using _closing = { [Symbol.asyncDispose]: () => client.close() }
        await client.connect(toNewTransport(transport === 'HTTP' ? stack.mcpUrl : stdioBridge(stack.engineUrl)))
        const host = new SkillsClient(client, { parseFrontmatter: (yaml) => parse(yaml) as Record<string, unknown> })
        const { skills } = await host.list()
        expect(new Set(skills.map(({ uri }) => uri)).size).toBe(COUNT)
        const files = skills.flatMap(({ uri, resources, frontmatter }) => {
          if (!Array.isArray(resources)) throw new Error('dynamic')
          return resources.map((file) => ({ file, frontmatter: file.uri === uri ? frontmatter : undefined }))
        })
        expect(files).toHaveLength(COUNT * 1.1)
        await forEachAtOnce(files, async ({ file, frontmatter }) => {
          const [contents] = (await client.readResource({ uri: file.uri })).contents
          const text = contents !== undefined && 'text' in contents ? contents.text : ''
          const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
          expect({ digest, size: Buffer.byteLength(text) }).toEqual({ digest: file.digest, size: file.size })
          if (frontmatter !== undefined) expect(parse(FRONT_MATTER.exec(text)?.[1] ?? '')).toEqual(frontmatter)
        })
      },
    )
  }
}

/** It reads one after the other, and other tests run beside it. */
const VERIFIED_WITHIN_MS = 240_000

scenario(
  ['skills/extension'],
  'the Inspector verifies all of a thousand skills',
  async () => {
    await using home = await createTempFolder()
    const asked = ['--method', 'skills/list', '--verify', '--require-digests', '--skill-catalog-max-skills', `${COUNT}`]
    const { code, stdout, stderr } = await runInspector(stack.mcpUrl, home.path, asked, VERIFIED_WITHIN_MS)
    expect(code, stderr).toBe(0)
    for (let at = 0; at < COUNT; at += 1) expect(stdout).toContain(`/skill-${at}/SKILL.md`)
  },
  { timeout: 2 * VERIFIED_WITHIN_MS },
)

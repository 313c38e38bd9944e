import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publish, REGISTRATION, toSkillRegistration } from '@iii/sdk'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { requestOnce } from '../facts.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import { connectWires } from '../wire-clients.ts'

const MIB = 1_048_576

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
})
afterAll(() => cleanup.run())

const call = <Result>(function_id: string, payload: object) =>
  stack.worker.trigger<Result>({ function_id, payload, timeoutMs: 30_000 })

interface GivenFile {
  readonly path: string
  readonly text?: string
  readonly base64?: string
}

interface ShownSkill {
  readonly skill: { readonly resources: readonly unknown[] }
}

const register = (id: string, files: readonly GivenFile[]) =>
  call<{ id: string }>('skills::register', { id, skill: toText(id), files })
const toText = (id: string) => `---\nname: ${id}\ndescription: Has files.\n---\n`

const many = (count: number) => Array.from({ length: count }, (_, at) => ({ path: `f/${at}.txt`, text: `${at}` }))
const large = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ path: `${at}.txt`, text: `${at}`.padEnd(MIB) }))

/** What the registry has of a skill, by path. */
async function listFiles(id: string): Promise<Record<string, number>> {
  const { files } = await call<{ files: { path: string; bytes: number }[] }>('skills::files', { id })
  return Object.fromEntries(files.map(({ path, bytes }) => [path, bytes]))
}

scenario(['skills/limits'], 'a skill has 512 files with its SKILL.md, and one more is refused', async () => {
  await register('many', many(511))
  expect(Object.keys(await listFiles('many'))).toHaveLength(511)
  const refused = 'too many files (512 beside SKILL.md; with it a skill has at most 512)'
  await expect(register('many', many(512))).rejects.toThrow(refused)
  await expect(register('many', many(513))).rejects.toThrow('too many files (513 beside SKILL.md')
  expect(Object.keys(await listFiles('many'))).toHaveLength(511)
  const shown = (await requestOnce(stack.mcpUrl, 'skills/get', { uri: 'skill://many/SKILL.md' })) as ShownSkill
  expect(shown.skill.resources).toHaveLength(512)
})

scenario(['skills/limits'], 'a file has 1 MiB, and one byte more is refused, as text and as base64', async () => {
  const text = (bytes: number) => ({ path: 'a.txt', text: 'é'.repeat(bytes / 2).padEnd((bytes >> 1) + (bytes % 2)) })
  const binary = (bytes: number) => ({ path: 'a.bin', base64: Buffer.alloc(bytes, 255).toString('base64') })
  await register('large', [text(MIB), binary(MIB)])
  const kept = { 'a.txt': MIB, 'a.bin': MIB }
  expect(await listFiles('large')).toEqual(kept)
  for (const file of [text(MIB + 1), binary(MIB + 1)]) {
    const refused = `file ${file.path} too large (${MIB + 1} bytes; max ${MIB})`
    await expect(register('large', [file])).rejects.toThrow(refused)
  }
  await expect(register('new', [binary(MIB + 1)])).rejects.toThrow('too large')
  expect(await listFiles('large')).toEqual(kept)
  await expect(call('skills::files', { id: 'new' })).rejects.toThrow('Skill not found: new')
})

scenario(
  ['skills/limits'],
  'the files of a skill have 16 MiB with its SKILL.md, and one byte more is refused to whoever registers and whoever publishes',
  async () => {
    const room = MIB - Buffer.byteLength(toText('whole'))
    const files = [...large(15), { path: 'last.txt', text: 'x'.repeat(room) }]
    const send = async (given: readonly GivenFile[]) => {
      const { ahead, skill } = toSkillRegistration({ id: 'whole', skill: toText('whole'), files: [...given] })
      for (const part of ahead) await call(REGISTRATION.ahead.id, part)
      await call(REGISTRATION.skill.id, skill)
    }
    await send(files)
    const kept = Object.fromEntries(files.map(({ path, text }) => [path, text.length]))
    expect(await listFiles('whole')).toEqual(kept)
    const more = [...files, { path: 'more.txt', text: 'x' }]
    const reason = `skill too large (${16 * MIB + 1} bytes with all its files; max ${16 * MIB})`
    await expect(send(more)).rejects.toThrow(reason)
    const publication = publish(stack.worker, { skills: [{ id: 'whole', skill: toText('whole'), files: more }] })
    const { published, failed } = await publication.settled
    publication.close()
    expect({ published, failed }).toEqual({
      published: [],
      failed: [{ item: 'skill whole', reason: expect.stringContaining(reason) }],
    })
    expect(await listFiles('whole')).toEqual(kept)
  },
)

/** Whether a file is there. */
const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

scenario(
  ['skills/inert'],
  'whoever lists, reads and fetches a skill runs neither its tools nor its scripts nor the sections that it links to',
  async () => {
    await using folder = await createTempFolder()
    const mark = join(folder.path, 'mark')
    const script = `#!/bin/sh\n: > '${mark}'\n`
    const ran: string[] = []
    for (const id of ['trap::tool', 'trap::section']) {
      stack.worker.registerFunction(id, () => {
        ran.push(id)
        return id
      })
    }
    await stack.worker.ready()
    const text = `---\nname: trap\ndescription: "!\`sh scripts/run.sh\`"\nallowed-tools: trap__tool Bash(sh:*)\nhooks: { start: sh scripts/run.sh }\n---\n[live](iii://fn/trap/section) !\`sh scripts/run.sh\` {{iii://fn/trap/section}}\n`
    const files = [
      { path: 'scripts/run.sh', text: script },
      { path: 'SETUP.md', text: '[live](iii://fn/trap/section)\n' },
    ]
    await call('skills::register', { id: 'trap', skill: text, files })
    await using wires = await connectWires(stack)
    const [manifest, run] = ['skill://trap/SKILL.md', 'skill://trap/scripts/run.sh']
    for (const { ask } of Object.values(wires.clients)) {
      const read = async (uri: string) => {
        const [content] = ((await ask('resources/read', { uri })).result?.['contents'] ?? []) as { text: string }[]
        return content?.text
      }
      expect(await read(manifest)).toBe(text)
      expect(await read(run)).toBe(script)
      expect(await read('iii://trap')).toBe(text)
      expect(await read('iii://skills')).toContain('iii://trap')
      const fetched = await ask('tools/call', {
        name: 'skill__fetch',
        arguments: { uris: [manifest, run, 'skill://'] },
      })
      expect(JSON.stringify(fetched.result)).toContain('allowed-tools: trap__tool')
      for (const [method, uri] of [
        ['skills/list', manifest],
        ['skills/get', manifest],
        ['resources/directory/read', 'skill://trap/scripts'],
      ] as const) {
        expect(JSON.stringify((await ask(method, { uri })).result), method).toContain('skill://trap/')
      }
    }
    expect([ran, await isThere(mark)]).toEqual([[], false])
    // All of it would run, if somebody did run it.
    const client = wires.clients['HTTP in a session']
    await until(async () => (await client.ask('tools/call', { name: 'trap__tool', arguments: {} })) && ran.length > 0, {
      what: 'the tool to run',
    })
    await client.ask('resources/read', { uri: 'iii://fn/trap/section' })
    await promisify(execFile)('sh', ['-c', script])
    expect([new Set(ran), await isThere(mark)]).toEqual([new Set(['trap::tool', 'trap::section']), true])
  },
)

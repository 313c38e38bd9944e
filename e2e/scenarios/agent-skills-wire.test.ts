import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import { connectWires, WIRES, type WireClient, type WireClients } from '../wire-clients.ts'

/** Two of them are skills in the first, one of these in the other; the rest says nothing of itself. */
const SKILLS: Readonly<Record<string, string>> = {
  suite: '---\nname: suite\ndescription: Holds others.\n---\nSee [it](deep/inner/SKILL.md).\n',
  'suite/limits': '# Limits\n',
  'suite/deep/inner': '---\nname: inner\ndescription: Lies in a suite.\n---\n',
  'suite/deep/inner/innermost': '---\nname: innermost\ndescription: Lies in both.\n---\n',
  'suite/deep/inner/notes': 'Notes.\n',
}
const FILES = [{ path: 'data/a.bin', base64: Buffer.from([0, 255]).toString('base64') }]

const OF_INNERMOST = ['skill://suite/deep/inner/innermost/SKILL.md']
const OF_INNER = [
  ...OF_INNERMOST,
  'skill://suite/deep/inner/SKILL.md',
  'skill://suite/deep/inner/data/a.bin',
  'skill://suite/deep/inner/notes.md',
]
const OF_SUITE = [...OF_INNER, 'skill://suite/SKILL.md', 'skill://suite/limits.md']

const cleanup = createCleanup()
let stack: Stack
let wires: WireClients

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
  for (const [id, skill] of Object.entries(SKILLS)) await register(id, skill)
  stack.worker.registerFunction('desk::hours', () => 'Open all day.')
  await stack.worker.ready()
  wires = cleanup.use(await connectWires(stack))
  const readsSection = async (client: WireClient) =>
    (await client.ask('resources/read', { uri: 'iii://fn/desk/hours' })).result !== undefined
  for (const wire of WIRES) await until(() => readsSection(wires.clients[wire]), { what: `the section: ${wire}` })
})
afterAll(() => cleanup.run())

const register = (id: string, skill: string) => {
  const payload = { id, skill, files: id === 'suite/deep/inner' ? FILES : [] }
  return stack.worker.trigger({ function_id: 'skills::register', payload })
}

interface Announced {
  readonly uri: string
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[]
}

/** @returns a member of the result */
async function askFor<T>(client: WireClient, method: string, member: string, params = {}): Promise<T> {
  const { result, error } = await client.ask(method, params)
  if (result === undefined) throw new Error(`${method}: ${error?.message}`)
  return result[member] as T
}

async function listSkills(client: WireClient): Promise<Map<string, Announced>> {
  const skills = await askFor<Announced[]>(client, 'skills/list', 'skills')
  return new Map(skills.map((skill) => [skill.uri, skill]))
}

async function readBytes(client: WireClient, uri: string): Promise<Buffer> {
  const [content] = await askFor<{ text?: string; blob?: string }[]>(client, 'resources/read', 'contents', { uri })
  return content?.text === undefined ? Buffer.from(content?.blob ?? '', 'base64') : Buffer.from(content.text)
}

async function listDirectory(client: WireClient, uri: string): Promise<string[]> {
  const rows = await askFor<{ uri: string }[]>(client, 'resources/directory/read', 'resources', { uri })
  return rows.map((row) => row.uri)
}

for (const wire of WIRES) {
  scenario(
    ['skills/nested'],
    `skills in skills are listed with all that lies in them, and each file has the announced bytes: ${wire}`,
    async () => {
      const client = wires.clients[wire]
      const skills = await listSkills(client)
      const urisOf = (uri: string) =>
        skills
          .get(uri)
          ?.resources.map((file) => file.uri)
          .sort()
      expect([...skills.keys()]).toEqual([
        'skill://suite/SKILL.md',
        'skill://suite/deep/inner/SKILL.md',
        'skill://suite/deep/inner/innermost/SKILL.md',
      ])
      expect(urisOf('skill://suite/SKILL.md')).toEqual([...OF_SUITE].sort())
      expect(urisOf('skill://suite/deep/inner/SKILL.md')).toEqual([...OF_INNER].sort())
      expect(urisOf('skill://suite/deep/inner/innermost/SKILL.md')).toEqual(OF_INNERMOST)
      for (const skill of skills.values()) {
        expect(await askFor(client, 'skills/get', 'skill', { uri: skill.uri })).toEqual(skill)
        for (const { uri, digest, size } of skill.resources) {
          const bytes = await readBytes(client, uri)
          const found = { digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, size: bytes.length }
          expect(found, uri).toEqual({ digest, size })
        }
      }
      expect(await listDirectory(client, 'skill://suite/deep')).toEqual(['skill://suite/deep/inner'])
      expect(await listDirectory(client, 'skill://suite/deep/inner')).toEqual([
        'skill://suite/deep/inner/SKILL.md',
        'skill://suite/deep/inner/data',
        'skill://suite/deep/inner/innermost',
        'skill://suite/deep/inner/notes.md',
      ])
    },
  )
}

scenario(
  ['skills/nested'],
  'a changed skill in a skill changes what is announced of both, and of nothing else',
  async () => {
    const client = wires.clients['HTTP on 2026-07-28']
    const before = await listSkills(client)
    await register('suite/deep/inner', `${SKILLS['suite/deep/inner']}More.\n`)
    const after = await listSkills(client)
    const changed = 'skill://suite/deep/inner/SKILL.md'
    for (const [uri, skill] of before) {
      const now = after.get(uri)?.resources ?? []
      const different = now.filter(({ digest }, at) => digest !== skill.resources[at]?.digest).map((file) => file.uri)
      expect(different).toEqual(uri.endsWith('/innermost/SKILL.md') ? [] : [changed])
      expect(now.map((file) => file.uri)).toEqual(skill.resources.map((file) => file.uri))
    }
    await register('suite/deep/inner', SKILLS['suite/deep/inner'] ?? '')
    expect(await listSkills(client)).toEqual(before)
  },
)

const NO_FILES = ['skill://none/SKILL.md', 'skill://suite/none.txt', 'skill://suite/deep', 'skill://suite/deep/none']
/** Of the kinds of addresses that are read, but are none of a skill with files. */
const NO_SKILLS = [
  'iii://suite',
  'iii://skills',
  'iii://fn/desk/hours',
  'iii://fn/desk/none',
  'skill://suite/limits.md',
]

for (const wire of WIRES) {
  const isSession = wire.endsWith('in a session')

  scenario(['skills/errors'], `what is none is refused with the code of the revision: ${wire}`, async () => {
    const client = wires.clients[wire]
    for (const uri of NO_FILES) {
      const { error } = await client.ask('resources/read', { uri })
      expect(error, uri).toMatchObject({ code: isSession ? -32_002 : -32_602, data: { uri } })
    }
    for (const uri of [...NO_FILES, ...NO_SKILLS]) {
      expect((await client.ask('skills/get', { uri })).error, uri).toMatchObject({ code: -32_602 })
    }
    for (const uri of ['skill://none', 'skill://suite/SKILL.md', ...NO_SKILLS]) {
      expect((await client.ask('resources/directory/read', { uri })).error, uri).toMatchObject({ code: -32_602 })
    }
    for (const method of ['skills/get', 'resources/directory/read', 'resources/read']) {
      expect((await client.ask(method)).error, method).toMatchObject({ code: -32_602 })
    }
  })

  scenario(
    ['skills/errors'],
    `lists of skills may be kept for five seconds, and files not at all: ${wire}`,
    async () => {
      const client = wires.clients[wire]
      const kept = { ttlMs: 5_000, cacheScope: 'private' }
      const manifest = { uri: 'skill://suite/SKILL.md' }
      expect((await client.ask('skills/list')).result).toMatchObject(kept)
      expect((await client.ask('skills/get', manifest)).result).toMatchObject(kept)
      expect((await client.ask('resources/directory/read', { uri: 'skill://suite' })).result).toMatchObject(kept)
      for (const uri of [manifest.uri, 'skill://suite/deep/inner/data/a.bin']) {
        const { result } = await client.ask('resources/read', { uri })
        // Sessions know nothing of keeping what was read.
        if (isSession) expect(Object.keys(result ?? {})).toEqual(['contents'])
        else expect(result).toMatchObject({ ttlMs: 0, cacheScope: 'private', resultType: 'complete' })
      }
    },
  )
}

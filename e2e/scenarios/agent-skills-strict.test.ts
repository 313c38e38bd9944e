import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions, requestOnce, SKILLS_FUNCTIONS } from '../facts.ts'
import { connectHost } from '../hosts.ts'
import { skillsProgram, stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import { connectWires, type WireClient, type WireClients } from '../wire-clients.ts'

/** Only two of them are Agent Skills as they are: one by itself, and one below a text that is none. */
const SKILLS: Readonly<Record<string, string>> = {
  own: '---\nname: own\ndescription: As it is.\n---\n',
  plain: '# Plain\n\nWithout front matter.\n',
  'plain/inner': '---\nname: inner\ndescription: Says what it is.\n---\n',
  titled: '---\nname: Some title\ndescription: Not called as its folder is.\n---\n',
}
const toManifest = (id: string) => `skill://${id}/SKILL.md`
const RENDERED = Object.keys(SKILLS).map(toManifest)
const AS_THEY_ARE = ['own', 'plain/inner'].map(toManifest)
const LEFT_OUT = ['plain', 'titled']

const cleanup = createCleanup()
let stack: Stack
let folder: string

beforeAll(async () => {
  folder = cleanup.use(await createTempFolder()).path
  stack = cleanup.use(await startStack({ workers: ['bridge'] }))
})
afterAll(() => cleanup.run())

/** @param settings how the registry is told what counts */
async function startRegistry(flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { engineUrl, worker } = stack
  const registry = startChild({ ...skillsProgram(engineUrl, flags), env })
  await until(() => hasFunctions(worker, SKILLS_FUNCTIONS), { what: 'the registry to serve' })
  for (const [id, skill] of Object.entries(SKILLS)) {
    const files = [{ path: 'note.txt', text: id }]
    await worker.trigger({ function_id: 'skills::register', payload: { id, skill, files } })
  }
  return registry
}

async function listSkills(): Promise<string[] | undefined> {
  const list = (await requestOnce(stack.mcpUrl, 'skills/list')) as { skills: { uri: string }[] } | undefined
  return list?.skills.map(({ uri }) => uri)
}

const skillsAre = (uris: readonly string[]) =>
  until(async () => (await listSkills())?.join() === uris.join(), { what: `the skills to be ${uris}` })

/** What a client has of a text: its manifest as it is served, its file, and the text as it was registered. */
async function look(client: WireClient, id: string) {
  const read = async (uri: string) => {
    const { result, error } = await client.ask('resources/read', { uri })
    const [content] = (result?.['contents'] ?? []) as { text?: string }[]
    return content?.text ?? error?.message
  }
  const { result, error } = await client.ask('skills/get', { uri: toManifest(id) })
  const skill = result?.['skill'] as { frontmatter: { name: string } } | undefined
  return {
    name: skill?.frontmatter.name ?? error?.code,
    file: await read(`skill://${id}/note.txt`),
    manifest: await read(toManifest(id)),
    text: await read(`iii://${id}`),
  }
}

async function expectStrict({ clients }: WireClients): Promise<void> {
  for (const client of Object.values(clients)) {
    for (const id of LEFT_OUT) {
      expect(await look(client, id)).toEqual({
        name: -32602,
        file: expect.stringContaining('No file of a skill is at'),
        manifest: expect.stringContaining('No file of a skill is at'),
        text: SKILLS[id],
      })
    }
    for (const id of ['own', 'plain/inner']) {
      expect(await look(client, id)).toEqual({
        name: id.split('/').at(-1),
        file: id,
        manifest: SKILLS[id],
        text: SKILLS[id],
      })
    }
  }
}

async function expectRendered({ clients }: WireClients): Promise<void> {
  for (const client of Object.values(clients)) {
    for (const id of LEFT_OUT) {
      const { text, manifest, ...rest } = await look(client, id)
      expect(rest).toEqual({ name: id, file: id })
      expect(text).toBe(SKILLS[id])
      expect(manifest).toMatch(new RegExp(`^---\\nname: ${id}\\n`))
    }
  }
}

scenario(
  ['skills/strict'],
  'a registry whose file says strict serves Agent Skills alone, and all texts again when the file says render',
  async () => {
    const config = join(folder, 'skills.yaml')
    await writeFile(config, 'frontmatter: strict\n')
    await using _registry = await startRegistry(['--config', config])
    await using wires = await connectWires(stack)
    await skillsAre(AS_THEY_ARE)
    await expectStrict(wires)
    await writeFile(config, 'frontmatter: render\n')
    await skillsAre(RENDERED)
    await expectRendered(wires)
    await writeFile(config, 'frontmatter: strict\n')
    await skillsAre(AS_THEY_ARE)
    await expectStrict(wires)
  },
)

scenario(
  ['skills/strict'],
  'a running registry is made strict, and rendering again, by what is stored on the engine for it',
  async () => {
    const id = `e2e-strict-${randomUUID()}`.slice(0, 64)
    const store = (value: object) => stack.worker.trigger({ function_id: 'configuration::set', payload: { id, value } })
    await using _registry = await startRegistry([], { III_WORKER_NAME: 'skills', III_CONFIG_NAME: id })
    await using wires = await connectWires(stack)
    await skillsAre(RENDERED)
    await expectRendered(wires)
    await store({ frontmatter: 'strict' })
    await skillsAre(AS_THEY_ARE)
    await expectStrict(wires)
    await store({})
    await skillsAre(RENDERED)
    await expectRendered(wires)
  },
)

const LIST = 'notifications/resources/list_changed'

scenario(
  ['skills/strict', 'skills/changes'],
  'hosts hear that the list is another one when a running registry becomes strict, and renders again',
  async () => {
    const config = join(folder, 'told.yaml')
    await writeFile(config, 'frontmatter: render\n')
    await using _registry = await startRegistry(['--config', config])
    await skillsAre(RENDERED)
    const kinds = ['client 2.x', 'client 2.x on 2026-07-28'] as const
    const ways = [stack.mcpUrl, stdioBridge(stack.engineUrl)].flatMap((bridge) =>
      kinds.map((kind) => ({ bridge, kind })),
    )
    const hosts = await Promise.all(ways.map(async ({ bridge, kind }) => cleanup.use(await connectHost(kind, bridge))))
    await Promise.all(hosts.map((host) => host.watch('iii://own')))
    const counts = () => hosts.map(({ heard }) => heard.filter(({ method }) => method === LIST).length)
    for (const rule of ['strict', 'render', 'strict']) {
      const before = counts()
      await writeFile(config, `frontmatter: ${rule}\n`)
      await skillsAre(rule === 'strict' ? AS_THEY_ARE : RENDERED)
      const areTold = () => counts().every((count, at) => count > (before[at] ?? 0))
      await until(areTold, { what: `all hosts to hear of ${rule}` })
    }
  },
)

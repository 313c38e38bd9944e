import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { skillsProgram, stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { type ServerTarget, toNewTransport } from '../transports.ts'
import { until } from '../until.ts'

/** Served as they are, rendered, and with a title that has to move. */
const SKILLS: Readonly<Record<string, string>> = {
  own: '---\nname: own\ndescription: As it is.\n---\nText\r\n',
  'team/my_plain': '\uFEFF# Plain\n\nWithout front matter 😀.\n',
  titled: '---\nname: Some title\nversion: 2\n---\nTitled.\n',
}

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills', 'bridge'] }))
  for (const [id, skill] of Object.entries(SKILLS)) {
    const files = [{ path: 'notes.txt', text: id }]
    await stack.worker.trigger({ function_id: 'skills::register', payload: { id, skill, files } })
  }
})
afterAll(() => cleanup.run())

async function connect(target: ServerTarget) {
  const client = new Client({ name: 'e2e', version: '0.0.0' }, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(toNewTransport(target))
  return { client, skills: new SkillsClient(client), [Symbol.asyncDispose]: () => client.close() }
}

/** What a new client of this bridge is announced, and the registered texts. */
async function look(target: ServerTarget): Promise<unknown> {
  await using host = await connect(target)
  const { skills } = await host.skills.list()
  const texts = Object.keys(SKILLS).map((id) => host.client.readResource({ uri: `iii://${id}` }))
  return { skills, texts: (await Promise.all(texts)).map(({ contents: [content] }) => content) }
}

scenario(
  ['skills/extension'],
  'two bridges announce the same digests, and still do when registry and bridge were restarted',
  async () => {
    const bridges = [stack.mcpUrl, stdioBridge(stack.engineUrl)]
    const [first, second] = await Promise.all(bridges.map(look))
    expect(first).toMatchObject({ skills: { length: 3 }, texts: Object.values(SKILLS).map((text) => ({ text })) })
    expect(second).toEqual(first)
    await Promise.all([stack.stop('skills'), stack.stop('mcp')])
    await Promise.all([stack.startSkills(), stack.startBridge()])
    for (const bridge of bridges) {
      await until(
        () =>
          look(bridge).then(
            () => true,
            () => false,
          ),
        { what: 'the registry to answer' },
      )
      expect(await look(bridge)).toEqual(first)
    }
  },
)

scenario(
  ['skills/extension'],
  'while the registry is away its skills are an error and not an empty list, and the extension stays declared',
  async () => {
    await using before = await connect(stack.mcpUrl)
    const { skills } = await before.skills.list()
    await stack.stop('skills')
    await using after = await connect(stack.mcpUrl)
    for (const host of [before, after]) {
      expect([host.skills.supported, host.skills.directoryRead]).toEqual([true, true])
      await expect(host.skills.list()).rejects.toThrow()
      await expect(host.skills.get('skill://own/SKILL.md')).rejects.toThrow()
      await expect(host.skills.readDirectory('skill://')).rejects.toThrow()
      await expect(host.client.readResource({ uri: 'skill://own/SKILL.md' })).rejects.toThrow()
      const lists = [await host.client.listResources(), await host.client.listResourceTemplates()]
      for (const { _meta } of lists)
        expect(_meta).toHaveProperty('degraded', expect.stringContaining('No skills registry'))
    }
    await stack.startSkills()
    const isBack = () =>
      after.skills.list().then(
        (list) => list.skills,
        () => undefined,
      )
    expect(await until(isBack, { what: 'the skills to be listed again' })).toEqual(skills)
  },
)

/** Files as Agent Skills have them, by the links that lead to them. */
const LINKED: Readonly<Record<string, string | Buffer>> = {
  'references/LIMITS.md': '# Limits\r\n',
  './scripts/check%20it.py': 'print()',
  'assets/Logo%20(1).png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]),
  'Notes/%C3%9Cbersicht.txt': 'Grüße',
}

/** The bytes of all files in a folder, by their paths. */
async function readTree(root: string): Promise<Map<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  const contents = files.sort().map(async (path) => [relative(root, path), await readFile(path, 'base64')] as const)
  return new Map(await Promise.all(contents))
}

scenario(
  ['operator/folders'],
  'relative links of an imported SKILL.md lead to the files that they name, and export writes their bytes back',
  async () => {
    await using folder = await createTempFolder()
    const links = Object.keys(LINKED)
    const skill = `---\nname: linked\ndescription: Links to its files.\n---\n${links.map((link) => `[it](<${link}>)\n`).join('')}`
    const source = join(folder.path, 'in')
    for (const [link, content] of Object.entries({ ...LINKED, 'SKILL.md': skill })) {
      const path = join(source, 'linked', decodeURIComponent(link))
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
    const program = { ...skillsProgram(stack.engineUrl), args: ['import', source, '--url', stack.engineUrl] }
    expect(await runToEnd(program)).toMatchObject({ code: 0, stderr: '' })
    const out = join(folder.path, 'out')
    const exporting = { ...program, args: ['export', out, '--url', stack.engineUrl] }
    expect(await runToEnd(exporting)).toMatchObject({ code: 0, stderr: '' })
    const written = await readTree(join(out, 'linked'))
    expect(written).toEqual(await readTree(join(source, 'linked')))
    expect(written.size).toBe(links.length + 1)
    await using host = await connect(stack.mcpUrl)
    const read = async (uri: string) => {
      const [content] = (await host.client.readResource({ uri })).contents
      return content !== undefined && 'text' in content ? content.text : Buffer.from(content?.blob ?? '', 'base64')
    }
    const base = 'skill://linked/SKILL.md'
    const found = [...String(await read(base)).matchAll(/\(<([^>]+)>\)/g)].map(([, link = '']) => link)
    expect(found).toEqual(links)
    for (const link of found) expect(await read(new URL(link, base).href)).toEqual(LINKED[link])
  },
)

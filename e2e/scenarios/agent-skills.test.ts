import { Client } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { afterAll, beforeAll, expect } from 'vitest'
import { parse } from 'yaml'
import { requestOnce } from '../facts.ts'
import { runInspector } from '../inspector.ts'
import { stdioBridge } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { toNewTransport } from '../transports.ts'
import { until } from '../until.ts'

let stack: Stack

const AGENT =
  '---\nname: orders\ndescription: Create and cancel orders.\nallowed-tools: orders__create\n---\nSee [limits](references/LIMITS.md).\n'
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255]).toString('base64')

beforeAll(async () => {
  stack = await startStack({ workers: ['skills', 'bridge'] })
  await register('orders', AGENT, [
    { path: 'references/LIMITS.md', text: '\uFEFF# Limits\r\n' },
    { path: 'scripts/check.py', text: 'print(1)\n' },
    { path: 'assets/Logo (1).png', base64: PNG },
    { path: 'assets/large.txt', text: 'x'.repeat(1_048_576) },
  ])
  await register('orders/limits', '# Limits in words\n')
  for (let n = 0; n < 230; n += 1) await register(`team/plain_${n}`, `# Plain ${n}\n\nWithout front matter.\n`)
})
afterAll(() => stack?.[Symbol.asyncDispose]())

const register = (id: string, skill: string, files: object[] = []) =>
  stack.worker.trigger({ function_id: 'skills::register', payload: { id, skill, files } })

/** The official client over each transport and in each era. */
const WAYS = ['HTTP', 'stdio'].flatMap((transport) =>
  (['legacy', { pin: '2026-07-28' }] as const).map((mode) => ({ transport, mode })),
)

async function connect({ transport, mode }: (typeof WAYS)[number]) {
  const client = new Client({ name: 'e2e', version: '0.0.0' }, { versionNegotiation: { mode } })
  await client.connect(toNewTransport(transport === 'HTTP' ? stack.mcpUrl : stdioBridge(stack.engineUrl)))
  const skills = new SkillsClient(client, { parseFrontmatter: (yaml) => parse(yaml) as Record<string, unknown> })
  return { client, skills, [Symbol.asyncDispose]: () => client.close() }
}

for (const way of WAYS) {
  const name = `${way.transport}, ${way.mode === 'legacy' ? 'in a session' : 'on 2026-07-28'}`

  scenario(
    ['skills/extension'],
    `a host of the extension reads every file of every skill as it was announced: ${name}`,
    async () => {
      await using host = await connect(way)
      expect([host.skills.supported, host.skills.directoryRead]).toEqual([true, true])
      const { skills } = await host.skills.list()
      expect(skills).toHaveLength(231)
      expect(skills[0]?.frontmatter).toEqual({
        name: 'orders',
        description: 'Create and cancel orders.',
        'allowed-tools': 'orders__create',
      })
      for (const skill of skills.slice(0, 20)) {
        if (!Array.isArray(skill.resources)) throw new Error('dynamic')
        for (const { uri } of skill.resources) expect((await host.skills.read(skill, uri)).verified).toBe(true)
        expect((await host.skills.get(skill.uri)).skill).toEqual(skill)
      }
      const [orders] = skills
      if (orders === undefined) throw new Error('no skill')
      const image = await host.skills.read(orders, 'assets/Logo (1).png')
      expect(Buffer.from(image.bytes).toString('base64')).toBe(PNG)
    },
  )

  scenario(['skills/extension'], `directories are looked through, and what is none is refused: ${name}`, async () => {
    await using host = await connect(way)
    const look = async (uri: string) => (await host.skills.readDirectory(uri)).resources.map((row) => row.uri)
    expect(await look('skill://')).toEqual(['skill://orders', 'skill://team'])
    expect(await look('skill://orders')).toEqual([
      'skill://orders/SKILL.md',
      'skill://orders/assets',
      'skill://orders/limits.md',
      'skill://orders/references',
      'skill://orders/scripts',
    ])
    expect(await look('skill://team')).toHaveLength(230)
    for (const uri of ['skill://orders/SKILL.md', 'skill://nothing', 'skill://orders/', 'iii://orders']) {
      await expect(host.skills.readDirectory(uri)).rejects.toMatchObject({ code: -32602 })
    }
    for (const uri of ['skill://none/SKILL.md', 'skill://orders', 'iii://orders', 'skill://orders/limits.md']) {
      await expect(host.skills.get(uri)).rejects.toMatchObject({ code: -32602 })
    }
    await expect(host.client.readResource({ uri: 'skill://orders/none.md' })).rejects.toThrow(
      'No file of a skill is at',
    )
    await expect(host.skills.list({ cursor: 'forged' })).rejects.toMatchObject({ code: -32602 })
  })
}

for (const way of WAYS.filter(({ mode }) => mode === 'legacy')) {
  scenario(
    ['skills/changes'],
    `a subscriber of a file hears that it changed, and whoever lists hears of another description: ${way.transport}`,
    async () => {
      await using host = await connect(way)
      const told: string[] = []
      host.client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
      host.client.setNotificationHandler('notifications/resources/list_changed', () => void told.push('list'))
      const id = `noted-${way.transport.toLowerCase()}`
      const uri = `skill://${id}/notes.txt`
      const write = (description: string, text: string) =>
        register(id, `---\nname: ${id}\ndescription: ${description}\n---\n`, [{ path: 'notes.txt', text }])
      // A bridge that has just come up may learn of the first ones before it tells of any.
      let round = 0
      const hearsOfLists = async () => {
        round += 1
        await write(`Round ${round}.`, 'one')
        // News of a round that nobody waited for would be taken for that of something else.
        return await until(async () => told.includes('list'), { what: 'the news of a round', deadlineMs: 3_000 })
      }
      await until(hearsOfLists, { what: 'the news of another list' })
      await host.client.subscribeResource({ uri })
      told.length = 0
      await write(`Round ${round}.`, 'two')
      await until(async () => told.includes(uri), { what: 'the news of a changed file' })
      expect((await host.client.readResource({ uri })).contents[0]).toMatchObject({ text: 'two' })
      told.length = 0
      const skill = `skill://${id}/SKILL.md`
      await host.client.subscribeResource({ uri: skill })
      await register(id, `---\nname: ${id}\ndescription: Round ${round}.\n---\nAnother text.\n`, [
        { path: 'notes.txt', text: 'two' },
      ])
      await until(async () => told.includes(skill), { what: 'the news of another text' })
      expect(told).not.toContain('list')
      await write('Second.', 'two')
      await until(async () => told.includes('list'), { what: 'the news of another description' })
      expect(told.filter((news) => news === 'list')).toHaveLength(1)
    },
  )
}

interface SkillsPage {
  readonly skills: readonly { readonly uri: string }[]
  readonly nextCursor?: string
}

scenario(
  ['skills/extension'],
  'a skill that comes behind who pages is on none of the pages, and is answered',
  async () => {
    const turn = async (cursor?: string) =>
      (await requestOnce(stack.mcpUrl, 'skills/list', cursor === undefined ? {} : { cursor })) as SkillsPage
    const pages = [await turn()]
    const late = 'skill://a-late/skill/SKILL.md'
    await register('a-late/skill', '---\nname: skill\ndescription: Came late.\n---\n')
    for (let next = pages[0]?.nextCursor; next !== undefined; next = pages.at(-1)?.nextCursor)
      pages.push(await turn(next))
    expect(pages.length).toBeGreaterThan(2)
    expect(pages.flatMap(({ skills }) => skills.map(({ uri }) => uri))).not.toContain(late)
    for (const way of WAYS) {
      await using host = await connect(way)
      expect((await host.skills.get(late)).skill).toMatchObject({ uri: late, frontmatter: { name: 'skill' } })
    }
    await stack.worker.trigger({ function_id: 'skills::unregister', payload: { id: 'a-late/skill' } })
  },
)

scenario(
  ['skills/fallback'],
  'a host without the extension reads files of skills with the tool, and iii:// addresses give the registered text',
  async () => {
    await using client = await stack.connect('sdk 1.x')
    const { content } = await client.callTool('skill__fetch', {
      uris: ['skill://orders/references/LIMITS.md', 'skill://orders/SKILL.md', 'skill://none/SKILL.md'],
    })
    expect(content[0]?.text).toContain('# Limits')
    expect(content[0]?.text).toContain('allowed-tools: orders__create')
    expect(content[0]?.text).toContain('No file of a skill is at skill://none/SKILL.md')
    const list = async (uri: string) => (await client.callTool('skill__fetch', { uri })).content[0]?.text?.split('\n')
    const own = '- skill://orders/SKILL.md — Create and cancel orders.'
    expect((await list('skill://'))?.filter((row) => row.startsWith('- skill://team/'))).toHaveLength(230)
    expect(await list('skill://')).toContain(own)
    expect(await list('skill://orders')).toEqual(
      expect.arrayContaining([own, '- skill://orders/assets/Logo%20(1).png (image/png, 8 bytes)']),
    )
    expect((await client.readResource('iii://team/plain_1'))[0]?.text).toBe('# Plain 1\n\nWithout front matter.\n')
  },
)

for (const transport of ['HTTP', 'stdio']) {
  scenario(['skills/extension'], `the Inspector verifies a skill with all of its files: ${transport}`, async () => {
    await using home = await createTempFolder()
    const target = transport === 'HTTP' ? stack.mcpUrl : stdioBridge(stack.engineUrl)
    const asked = ['--method', 'skills/get', '--uri', 'skill://orders/SKILL.md', '--verify', '--require-digests']
    const { code, stdout, stderr } = await runInspector(target, home.path, asked)
    expect(code, stdout + stderr).toBe(0)
  })
}

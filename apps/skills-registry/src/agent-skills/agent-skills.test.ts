import { createHash } from 'node:crypto'
import { startMockEngine } from '@iii/mock-engine'
import { type AgentSkillEntry, agentSkillsFunctions, type ResourceContents, skillsFunctions } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'

const AGENT = '---\nname: orders\ndescription: Create and cancel orders.\n---\nSee [limits](references/LIMITS.md).\n'
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255])
const FILES = [
  { path: 'references/LIMITS.md', text: '\uFEFF# Limits\r\n' },
  { path: 'scripts/check.py', text: 'print(1)\n' },
  { path: 'assets/Logo (1).png', base64: PNG.toString('base64') },
]

async function start() {
  const engine = await startMockEngine()
  const registry = await startRegistry(engine.url)
  const list = async (prefixes?: string[]): Promise<AgentSkillEntry[]> => {
    const all: AgentSkillEntry[] = []
    let after: string | undefined
    do {
      const page = await registry.call<{ skills: AgentSkillEntry[]; after?: string }>(agentSkillsFunctions.list.id, {
        after,
        prefixes,
      })
      all.push(...page.skills)
      after = page.after
    } while (after !== undefined)
    return all
  }
  return {
    engine,
    registry,
    list,
    register: (id: string, skill: string, files?: readonly object[]) =>
      registry.call(skillsFunctions.register.id, { id, skill, files }),
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}

async function read({ call }: TestRegistry, uri: string): Promise<ResourceContents> {
  const { contents } = await call<{ contents: ResourceContents[] }>(skillsFunctions.resourcesRead.id, { uri })
  if (!contents[0]) throw new Error('no contents')
  return contents[0]
}

function bytesOf(contents: ResourceContents): Buffer {
  return 'text' in contents ? Buffer.from(String(contents.text)) : Buffer.from(String(contents.blob), 'base64')
}

function digestOf(contents: ResourceContents): string {
  return `sha256:${createHash('sha256').update(bytesOf(contents)).digest('hex')}`
}

describe('skills with files', () => {
  it('are listed with every file, and each is read with the bytes that were announced', async () => {
    await using stage = await start()
    await stage.register('orders', AGENT, FILES)
    const [entry, ...others] = await stage.list()
    expect(others).toEqual([])
    expect(entry?.uri).toBe('skill://orders/SKILL.md')
    expect(entry?.frontmatter).toEqual({ name: 'orders', description: 'Create and cancel orders.' })
    expect(entry?.resources.map(({ uri }) => uri)).toEqual([
      'skill://orders/SKILL.md',
      'skill://orders/assets/Logo%20(1).png',
      'skill://orders/references/LIMITS.md',
      'skill://orders/scripts/check.py',
    ])
    for (const { uri, digest, size } of entry?.resources ?? []) {
      const contents = await read(stage.registry, uri)
      expect(digestOf(contents)).toBe(digest)
      expect(bytesOf(contents).length).toBe(size)
    }
    expect(bytesOf(await read(stage.registry, 'skill://orders/assets/Logo%20(1).png'))).toEqual(PNG)
    expect((await read(stage.registry, 'skill://orders/scripts/check.py')).mimeType).toBe('text/x-python')
    const { skills } = await stage.registry.call<{ skills: object[] }>('skills::list')
    expect(skills).toEqual([expect.objectContaining({ id: 'orders', files: 3 })])
  })

  it('without front matter of their own are given some, the same each time; their iii:// text stays', async () => {
    await using stage = await start()
    await stage.register('orders', '# Order desk\n\nCreate orders.\n')
    await stage.register('team/my_refunds', '---\nname: Refund desk\nversion: 2\n---\nRefunds.\n')
    const entries = await stage.list()
    expect(entries.map(({ frontmatter }) => frontmatter)).toEqual([
      {
        name: 'orders',
        description: 'Create orders.',
        metadata: { title: 'Order desk', 'iii-source': 'iii://orders' },
      },
      {
        name: 'my-refunds',
        description: 'Refunds.',
        version: 2,
        metadata: { title: 'Refund desk', 'iii-source': 'iii://team/my_refunds' },
      },
    ])
    for (const { uri, frontmatter, resources } of entries) {
      const contents = await read(stage.registry, uri)
      expect(digestOf(contents)).toBe(resources[0]?.digest)
      expect(parse(String(/^---\n([\s\S]*?)\n---\n/.exec(bytesOf(contents).toString())?.[1]))).toEqual(frontmatter)
    }
    expect(await read(stage.registry, 'iii://orders')).toMatchObject({ text: '# Order desk\n\nCreate orders.\n' })
    await using twin = await startRegistry(stage.engine.url, {}, false, undefined)
    const again = await twin.call<{ skills: AgentSkillEntry[] }>(agentSkillsFunctions.list.id)
    expect(again.skills).toEqual(entries)
  })

  it('below others are files of them, or skills in both when they say so', async () => {
    await using stage = await start()
    await stage.register('orders', AGENT, [{ path: 'notes.txt', text: 'n' }])
    await stage.register('orders/limits', '# Limits\n')
    await stage.register('orders/refunds', '---\nname: refunds\ndescription: Refund.\n---\n', FILES.slice(1, 2))
    const entries = await stage.list()
    const inRefunds = ['skill://orders/refunds/SKILL.md', 'skill://orders/refunds/scripts/check.py']
    expect(entries.map(({ uri, resources }) => [uri, resources.map((file) => file.uri)])).toEqual([
      [
        'skill://orders/SKILL.md',
        ['skill://orders/SKILL.md', 'skill://orders/limits.md', 'skill://orders/notes.txt', ...inRefunds],
      ],
      ['skill://orders/refunds/SKILL.md', inRefunds],
    ])
    expect(await read(stage.registry, 'skill://orders/limits.md')).toMatchObject({ text: '# Limits\n' })
    await stage.register('orders/refunds', '---\nname: refunds\ndescription: Other.\n---\n')
    const [parent] = await stage.list()
    expect(parent?.resources.map(({ uri }) => uri)).not.toContain('skill://orders/refunds/scripts/check.py')
    expect(parent?.resources.at(-1)?.digest).not.toBe(entries[0]?.resources[3]?.digest)
  })

  it('whose names Agent Skills cannot have are left out, and of two with one name the first is served', async () => {
    await using stage = await start()
    for (const id of ['a-b', 'a_b', '-x', 'c--d', 'fetch_skill']) await stage.register(id, `# ${id}\n`)
    expect((await stage.list()).map(({ uri }) => uri)).toEqual(['skill://a-b/SKILL.md', 'skill://fetch-skill/SKILL.md'])
    expect(await read(stage.registry, 'iii://c--d')).toMatchObject({ text: '# c--d\n' })
  })

  it('are not there for whoever may not read them', async () => {
    await using stage = await start()
    for (const id of ['orders', 'orders-internal', 'orders/refunds', 'billing']) await stage.register(id, `# ${id}\n`)
    const uris = async (prefixes: string[]) =>
      (await stage.list(prefixes)).flatMap(({ resources }) => resources.map(({ uri }) => uri))
    expect(await uris(['orders'])).toEqual(['skill://orders/SKILL.md', 'skill://orders/refunds.md'])
    expect(await uris(['orders/refunds'])).toEqual(['skill://orders/refunds/SKILL.md'])
    expect(await uris([])).toEqual([])
    const { fault } = stage.registry
    const uri = 'skill://billing/SKILL.md'
    const hidden = await fault(agentSkillsFunctions.get.id, { uri, prefixes: ['orders'] })
    expect(hidden.message).toBe(
      (await fault(agentSkillsFunctions.get.id, { uri: 'skill://none/SKILL.md' })).message.replace('none', 'billing'),
    )
    expect(
      await fault(agentSkillsFunctions.directory.id, { uri: 'skill://billing', prefixes: ['orders'] }),
    ).toMatchObject({ code: 'not_found' })
    const sidecar = { mcp: { call_id: 'c', via: 'mcp::b', skills: ['orders'] } }
    expect(await fault(skillsFunctions.resourcesRead.id, { uri }, sidecar)).toMatchObject({ code: 'not_found' })
  })

  it('are directories that can be looked through', async () => {
    await using stage = await start()
    await stage.register('team/orders', AGENT, FILES)
    const look = async (uri: string) => {
      const page = await stage.registry.call<{ resources: { name: string; mimeType: string }[] }>(
        agentSkillsFunctions.directory.id,
        { uri },
      )
      return page.resources.map(({ name, mimeType }) => `${name} ${mimeType}`)
    }
    expect(await look('skill://')).toEqual(['team inode/directory'])
    expect(await look('skill://team')).toEqual(['orders inode/directory'])
    expect(await look('skill://team/orders')).toEqual([
      'orders text/markdown',
      'assets inode/directory',
      'references inode/directory',
      'scripts inode/directory',
    ])
    expect(await look('skill://team/orders/scripts')).toEqual(['check.py text/x-python'])
    const { fault } = stage.registry
    for (const uri of [
      'skill://team/orders/SKILL.md',
      'skill://nothing',
      'skill://team/ord',
      'skill://team/orders/scripts/check.py',
    ]) {
      expect(await fault(agentSkillsFunctions.directory.id, { uri })).toMatchObject({ code: 'not_found' })
    }
    for (const uri of ['skill://team/', 'iii://team', 'skill://team/%2e%2e', 'skill://t%65am', 'skill:///team']) {
      expect(await fault(agentSkillsFunctions.directory.id, { uri })).toMatchObject({ code: 'invalid_input' })
    }
  })

  it('are refused with what would be right', async () => {
    await using stage = await start()
    const { refusal } = stage.registry
    const files: [object, string][] = [
      [{ path: '../x', text: '' }, 'leads elsewhere'],
      [{ path: 'a//b', text: '' }, 'empty part'],
      [{ path: 'a/skill.md', text: '' }, 'has SKILL.md in it'],
      [{ path: 'a' }, 'give either text or base64'],
      [{ path: 'a', text: 'x'.repeat(1_048_577) }, 'too large'],
      [{ path: 'a', text: '', mimeType: 'x\ny' }, 'media type'],
    ]
    for (const [file, problem] of files) {
      expect(await refusal('skills::register', { id: 'orders', skill: AGENT, files: [file] })).toContain(problem)
    }
    const folders = [
      { path: 'a', text: '' },
      { path: 'a/b', text: '' },
    ]
    expect(await refusal('skills::register', { id: 'orders', skill: AGENT, files: folders })).toContain(
      'also the folder of a/b',
    )
    expect(await stage.list()).toEqual([])
  })

  it('change in one step: whoever reads while they are registered finds what is announced at that moment', async () => {
    await using stage = await start()
    const write = (version: number) =>
      stage.register('orders', `${AGENT}${version}\n`, [
        { path: 'a.txt', text: `a ${version}` },
        { path: 'b.txt', text: `b ${version}` },
      ])
    await write(0)
    let isWriting = true
    const writing = (async () => {
      for (let version = 1; version <= 40; version += 1) await write(version)
      isWriting = false
    })()
    while (isWriting) {
      const [entry] = await stage.list()
      const texts = await Promise.all(
        entry?.resources.map(async ({ uri }) => bytesOf(await read(stage.registry, uri)).toString()) ?? [],
      )
      expect(texts).toHaveLength(3)
    }
    await writing
    const [entry] = await stage.list()
    for (const { uri, digest } of entry?.resources ?? []) expect(digestOf(await read(stage.registry, uri))).toBe(digest)
    expect(await read(stage.registry, 'skill://orders/b.txt')).toMatchObject({ text: 'b 40' })
  })

  it('come in pages that lose nothing and repeat nothing while others come and go', async () => {
    await using stage = await start()
    for (let n = 0; n < 250; n += 1) await stage.register(`s${String(n).padStart(3, '0')}`, '# S\n')
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await stage.registry.call<{ skills: AgentSkillEntry[]; after?: string }>(
        agentSkillsFunctions.list.id,
        { after },
      )
      seen.push(...page.skills.map(({ uri }) => uri))
      after = page.after
      await stage.register(`s000-${seen.length}`, '# New\n')
      await stage.registry.call('skills::unregister', { id: `s000-${seen.length - 100}` })
    } while (after !== undefined)
    expect(seen).toHaveLength(250)
    expect(new Set(seen).size).toBe(250)
  })
})

import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { startRegistry, type TestRegistry } from '../testing/registry.ts'

interface Listed {
  resources: { uri: string; [key: string]: unknown }[]
}

const read = (registry: TestRegistry, uri: string) =>
  registry.call<{ contents: { text: string }[] }>('skills::resources-read', { uri })

const refusal = (registry: TestRegistry, uri: string) => registry.refusal('skills::resources-read', { uri })

async function register(registry: TestRegistry, skills: Record<string, string>) {
  for (const [id, skill] of Object.entries(skills)) await registry.call('skills::register', { id, skill })
}

describe('skills::resources-list', () => {
  it('lists the index alone when nothing is registered', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await registry.call('skills::resources-list')).toEqual({
      resources: [
        {
          uri: 'iii://skills',
          name: 'skills',
          title: 'Skills',
          description: 'Index of every registered skill',
          mimeType: 'text/markdown',
        },
      ],
    })
  })

  it('lists every skill behind the index, children after their parents, with all that clients can show', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await register(registry, {
      'a-b': 'no title here',
      'a/b': '---\nname: Named\ndescription: Described.\npriority: 0.5\n---\n# Other\n',
      a: '# Orders é\n\nCreate orders.\n',
      'x/y/z': '# Orphan',
    })
    const { skills } = await registry.call<{ skills: { id: string; registered_at: string }[] }>('skills::list')
    const at = (id: string) => ({ lastModified: skills.find((skill) => skill.id === id)?.registered_at })
    const { resources } = await registry.call<Listed>('skills::resources-list')
    expect(resources.slice(1)).toEqual([
      {
        uri: 'iii://a',
        name: 'Orders é',
        title: 'Orders é',
        description: 'Create orders.',
        mimeType: 'text/markdown',
        size: 28,
        annotations: at('a'),
      },
      {
        uri: 'iii://a/b',
        name: 'Named',
        title: 'Named',
        description: 'Described.',
        mimeType: 'text/markdown',
        size: 66,
        annotations: { ...at('a/b'), priority: 0.5 },
      },
      {
        uri: 'iii://a-b',
        name: 'a-b',
        title: 'a-b',
        description: 'no title here',
        mimeType: 'text/markdown',
        size: 13,
        annotations: at('a-b'),
      },
      {
        uri: 'iii://x/y/z',
        name: 'Orphan',
        title: 'Orphan',
        mimeType: 'text/markdown',
        size: 8,
        annotations: at('x/y/z'),
      },
    ])
  })

  it('keeps ids of old stores that cannot be registered today, and says that they are unreachable', async () => {
    await using engine = await startMockEngine()
    for (const id of ['skills', 'functions/x', 'fn/a/b', 'UP']) {
      const value = { id, skill: '# Old\n\nText.', registered_at: '2026-05-05T00:00:00Z' }
      await engine.call('state::set', { scope: 'skills', key: id, value })
    }
    await using registry = await startRegistry(engine.url)
    const { resources } = await registry.call<Listed>('skills::resources-list')
    expect(resources.slice(1)).toMatchObject([
      { uri: 'iii://UP#unreachable', description: expect.stringMatching(/^Unreachable: .* Text\.$/) },
      { uri: 'iii://fn/a/b#unreachable', _meta: { 'iii/unreachable': true } },
      { uri: 'iii://functions/x#unreachable', _meta: { 'iii/unreachable': true } },
      { uri: 'iii://skills#unreachable', _meta: { 'iii/unreachable': true } },
    ])
    for (const { uri } of resources.slice(1)) expect(await refusal(registry, uri)).toMatch(/\[invalid_input\]$/)
    const index = await read(registry, 'iii://skills')
    expect(index.contents[0]?.text).toContain(
      '- Old (`functions/x`, unreachable) — Text.\n- Old (`skills`, unreachable)',
    )
    expect(await refusal(registry, 'iii://functions/x')).toBe(
      'Skill not found: functions/x ("functions" is reserved for the MCP bridge, and the registry holds nothing there) [not_found]',
    )
    expect(await refusal(registry, 'iii://skills/x')).toBe(
      'Skill not found: skills/x ("skills" is reserved for the index at iii://skills) [not_found]',
    )
  })

  it('shows nothing unseen, endless or unreadable of what others wrote to the store', async () => {
    await using engine = await startMockEngine()
    const ids = ['/', 'a b', 'a:b', '\u202Ea\u0007\n', 'd\u00e9j\u00e0 \u{1F600}', '%2F', '[x]', 'x'.repeat(1024)]
    for (const [n, id] of ids.entries()) {
      const value = { id, skill: n % 2 === 0 ? '' : `# ${'\u{1F600}'.repeat(200)}\u202E`, registered_at: '\u202Elater' }
      await engine.call('state::set', { scope: 'skills', key: id, value })
    }
    await using registry = await startRegistry(engine.url)
    const { resources } = await registry.call<Listed>('skills::resources-list')
    expect(resources).toHaveLength(ids.length + 1)
    expect(new Set(resources.map(({ uri }) => uri)).size).toBe(resources.length)
    for (const resource of resources) {
      expect(new URL(resource.uri).href).toBe(resource.uri)
      expect(JSON.stringify(resource)).toMatch(/^[^\p{Cc}\u202E\\]*$/u)
      expect(resource['name']).toMatch(/\S/)
      expect(Buffer.byteLength(String(resource['title']))).toBeLessThanOrEqual(256)
      expect(resource['annotations'] ?? {}).toEqual({})
    }
  })

  it('has the SKILL.md of each skill as well, by name and description as in its front matter, where that is set', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const own = '---\nname: own\ndescription: As it is.\n---\nText\n'
    await register(registry, { 'team/own': own, my_plain: '# Plain\n\nWhat it is for.\n' })
    const list = async () => (await registry.call<Listed>('skills::resources-list')).resources
    const before = await list()
    expect(before).toHaveLength(3)
    registry.settings.value = { ...registry.settings.value, listSkillFiles: true }
    const mimeType = 'text/markdown'
    expect(await list()).toEqual([
      ...before,
      {
        uri: 'skill://my-plain/SKILL.md',
        name: 'my-plain',
        description: 'What it is for.',
        mimeType,
        skill: 'my_plain',
      },
      {
        uri: 'skill://team/own/SKILL.md',
        name: 'own',
        description: 'As it is.',
        mimeType,
        skill: 'team/own',
      },
    ])
    for (const { uri } of (await list()).slice(1))
      expect(await read(registry, uri)).toMatchObject({ contents: [{ uri }] })
  })
})

describe('skills::resources-templates', () => {
  it('declares one template for skills, one for sections and one for files, all of any depth', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    expect(await registry.call('skills::resources-templates')).toEqual({
      resourceTemplates: [
        { uriTemplate: 'iii://{+skill_id}', name: 'Skill', description: expect.any(String), mimeType: 'text/markdown' },
        {
          uriTemplate: 'iii://fn/{+function_path}',
          name: 'Skill section',
          description: expect.any(String),
          mimeType: 'text/markdown',
        },
        { uriTemplate: 'skill://{+path}', name: 'Skill file', description: expect.any(String) },
      ],
    })
  })
})

describe('skills::resources-read of the index', () => {
  it('renders a row for every skill', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await register(registry, { 'a/b': '# Child', a: '# Orders\n\nCreate orders.' })
    const { contents } = await read(registry, 'iii://skills')
    expect(contents).toEqual([{ uri: 'iii://skills', mimeType: 'text/markdown', text: expect.any(String) }])
    expect(contents[0]?.text).toMatch(/^# Skills\n/)
    expect(contents[0]?.text).toContain('- [Orders](iii://a) — Create orders.\n  - [Child](iii://a/b)\n')
  })
})

describe('skills::resources-read of a skill', () => {
  it('gives the body byte for byte', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const text = '\uFEFF---\nname: x\n---\r\n  # Send\t😀\u0000 \n\n'
    await register(registry, { 'resend/email/send': text })
    const uri = 'iii://resend/email/send'
    expect(await read(registry, uri)).toEqual({ contents: [{ uri, mimeType: 'text/markdown', text }] })
  })

  it.each(['nothing', 'a/b/c/d/e'])('says that there is no skill %s', async (id) => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await register(registry, { a: 'x' })
    expect(await refusal(registry, `iii://${id}`)).toBe(
      `Skill not found: ${id}. iii://skills has all of them [not_found]`,
    )
  })

  it('says that a stored row is broken', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    await registry.call('state::set', { scope: 'skills', key: 'a', value: { id: 'a' } })
    expect(await refusal(registry, 'iii://a')).toMatch(/^decode stored skill a: skill: .*\[internal\]$/)
  })

  it.each([
    ['https://a', 'Resource URI must start with iii:// or skill://: https://a'],
    ['III://a', 'Resource URI must start with iii:// or skill://: III://a'],
    ['iii://', 'Empty resource id: iii://'],
    ['iii://a//b', "Resource URI may not contain empty segments (no leading, trailing, or doubled '/'): iii://a//b"],
    ['iii://a/', "Resource URI may not contain empty segments (no leading, trailing, or doubled '/'): iii://a/"],
    ['iii://fn', "Section URI 'iii://fn' is missing a function path: expected iii://fn/{a}/{b}/...: iii://fn"],
    ['iii://fn/', "Resource URI may not contain empty segments (no leading, trailing, or doubled '/'): iii://fn/"],
    ['iii://A', /^invalid id \(segment 1 of "A"\): segment may only contain lowercase/],
    ['iii://a%2Fb', /^invalid id /],
    [' iii://a', /^Resource URI must start with iii:\/\//],
    ['iii://demo/demo::guide', /write iii:\/\/fn\/demo\/guide/],
  ])('refuses %j, which is no address', async (uri, message) => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const fault = await registry.fault('skills::resources-read', { uri })
    expect(fault.code).toBe('invalid_input')
    if (typeof message === 'string') expect(fault.message).toBe(message)
    else expect(fault.message).toMatch(message)
  })
})

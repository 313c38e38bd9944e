import { join } from 'node:path'
import { startMockEngine } from '@iii/mock-engine'
import { type AgentSkillEntry, agentSkillsFunctions, type SkillFinding } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../testing/command.ts'
import { createFilledFolder } from '../testing/folder.ts'
import { startRegistry } from '../testing/registry.ts'

const frontMatter = (name: string, more = '') => `---\nname: ${name}\ndescription: What it is for.\n${more}---\nText.\n`

/** One character more than a name may have. */
const LONG = 'x'.repeat(65)

/** Skills by id, as they are registered and as they lie in a folder. */
const SKILLS: Readonly<Record<string, string>> = {
  good: frontMatter('good'),
  plain: '# Plain\n',
  long: frontMatter(LONG),
  other: frontMatter('Other title'),
  colon: '---\nname: colon\ndescription: Use when: now\n---\n',
  words: frontMatter('words', 'enabled: yes\nsince: 2026-01-01\nlimit: 1_000\nquoted: "no"\n'),
  reserved: frontMatter('reserved', 'metadata:\n  io.modelcontextprotocol/x: "1"\n'),
  typed: frontMatter('typed', 'metadata:\n  version: 2\n'),
  'good/limits': '# Limits\n',
  'a--b': frontMatter('a--b'),
  'team/-x': '# X\n',
  'a-b': frontMatter('a-b'),
  a_b: frontMatter('a-b'),
}

const EXPECTED: readonly [string, SkillFinding['verdict'], string][] = [
  [
    'a--b',
    'left_out',
    '"a--b" is no name that Agent Skills may have: 1 to 64 of a-z, 0-9 and \'-\', none at the ends and no two in a row; a-b is another skill: register it under a third id',
  ],
  [
    'a_b',
    'left_out',
    "a-b is the skill a-b already, since '_' is served as '-': register one of them under another id",
  ],
  [
    'colon',
    'rendered',
    'is served with front matter made for it: its front matter is no YAML that every reader takes: Nested mappings are not allowed in compact mappings at line 3, column 14; quote a value that has a colon in it',
  ],
  [
    'long',
    'rendered',
    `is served with front matter made for it: its front matter has the name "${LONG}": write name: long`,
  ],
  [
    'other',
    'rendered',
    'is served with front matter made for it: its front matter has the name "Other title": write name: other',
  ],
  [
    'plain',
    'rendered',
    'is served with front matter made for it: it has no front matter: begin it with lines that say name and description, between lines of ---',
  ],
  [
    'reserved',
    'warning',
    'its metadata has io.modelcontextprotocol/x: keys that begin with io.modelcontextprotocol/ are reserved',
  ],
  [
    'team/-x',
    'left_out',
    '"-x" is no name that Agent Skills may have: 1 to 64 of a-z, 0-9 and \'-\', none at the ends and no two in a row; register it as team/x',
  ],
  [
    'typed',
    'rendered',
    'is served with front matter made for it: its metadata has no text as version: quote the value',
  ],
  ...['yes', '2026-01-01', '1_000'].map((word): [string, 'warning', string] => [
    'words',
    'warning',
    `its front matter has ${word}, which YAML 1.1 reads otherwise than YAML 1.2: quote it`,
  ]),
]

const toRows = (findings: readonly SkillFinding[]) => findings.map(({ id, verdict, reason }) => [id, verdict, reason])

describe('lint', () => {
  it('says what keeps registered skills from being served as they are, as the registry serves them', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const env = { III_URL: engine.url }
    expect(await runCommandLine(['lint'], env)).toEqual({
      code: 0,
      stdout: '',
      stderr: '0 skills: all are served as they are\n',
    })
    for (const [id, skill] of Object.entries(SKILLS)) await registry.call('skills::register', { id, skill })
    const { code, stdout } = await runCommandLine(['lint', '--json'], env)
    const report = JSON.parse(stdout) as { skills: number; findings: SkillFinding[] }
    expect([code, report.skills]).toEqual([1, Object.keys(SKILLS).length])
    expect(toRows(report.findings)).toEqual(EXPECTED)
    const { skills } = await registry.call<{ skills: AgentSkillEntry[] }>(agentSkillsFunctions.list.id)
    const unserved = EXPECTED.filter(([, verdict]) => verdict === 'left_out').length
    expect(skills).toHaveLength(Object.keys(SKILLS).length - unserved - 1)
    expect(await runCommandLine(['lint', 'plain'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^VERDICT +SKILL +WHY\nrendered +plain +is served with front matter/),
      stderr: '1 skill, 1 with front matter made for them\n',
    })
    expect(await runCommandLine(['lint', 'iii://good'], env)).toMatchObject({ code: 0, stdout: '' })
    expect(await runCommandLine(['lint', 'none'], env)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('no folder is called none'),
    })
    expect(await runCommandLine(['lint', 'No Such'], env)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no folder No Such'),
    })
  })

  it('names the folder that is not there, where no engine answers either', async () => {
    const env = { III_URL: 'ws://127.0.0.1:9' }
    for (const [name, told] of [
      ['nowhere', /there is no folder nowhere, and no engine answers at /],
      ['iii://nowhere', /^[a-z-]+: no engine answers at /],
    ] as const) {
      expect(await runCommandLine(['lint', name], env)).toMatchObject({ code: 4, stderr: expect.stringMatching(told) })
    }
  })

  it('says the same of a folder, without an engine, and what import would refuse', async () => {
    await using folder = await createFilledFolder(
      Object.fromEntries(
        Object.entries(SKILLS).map(([id, text]) => [id === 'good' ? 'good/SKILL.md' : `${id}.md`, text]),
      ),
    )
    const { code, stdout } = await runCommandLine(['lint', folder.path, '--json'])
    const { findings } = JSON.parse(stdout) as { findings: SkillFinding[] }
    expect(code).toBe(1)
    expect(new Set(toRows(findings).map(String))).toEqual(new Set(EXPECTED.map(String)))
    await folder.write({ 'good/run.sh': 'exit 0\n', 'C++.md': '# C', 'empty.md': '', [`${LONG}.md`]: '# Long' })
    const shown = await runCommandLine(['lint', folder.path])
    expect(shown.stdout).toMatch(/^not served +C\+\+\.md +.*call it c\.md$/m)
    expect(shown.stdout).toMatch(/^not served +empty\.md +is empty$/m)
    expect(shown.stdout).toMatch(/^not served +x{65}\.md +.*segment too long \(65 chars; max 64\)/m)
    expect(await runCommandLine(['lint', join(folder.path, 'good')])).toEqual({
      code: 0,
      stdout: '',
      stderr: '1 skill: all are served as they are\n',
    })
    await folder.write({ '.skills.yaml': 'frontmatter: strict\n' })
    const strict = await runCommandLine(['lint', folder.path, '--json', '--config', join(folder.path, '.skills.yaml')])
    const plain = (JSON.parse(strict.stdout) as { findings: SkillFinding[] }).findings.find(({ id }) => id === 'plain')
    expect(plain).toMatchObject({ verdict: 'left_out', reason: expect.stringContaining('it has no front matter') })
    expect(await runCommandLine(['lint', folder.path, '--json'], { III_SKILLS_FRONTMATTER: 'strict' })).toEqual(strict)
  })

  it('judges a folder by settings that a registry could have', async () => {
    await using folder = await createFilledFolder({ 'a.md': '# A\n', '.skills.yaml': 'frontmatter: loose\n' })
    const file = join(folder.path, '.skills.yaml')
    expect(await runCommandLine(['lint', folder.path, '--config', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${file}: line 1: frontmatter: must be one of "render", "strict"`),
    })
    expect(await runCommandLine(['lint', folder.path], { III_SKILLS_FRONTMATTER: 'loose' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('III_SKILLS_FRONTMATTER'),
    })
  })

  it('comes in pages, and names texts that have another file in their place', async () => {
    await using engine = await startMockEngine()
    await using registry = await startRegistry(engine.url)
    const files = [{ path: 'limits.md', text: '# Its own\n' }]
    await registry.call('skills::register', { id: 'good', skill: frontMatter('good'), files })
    await registry.call('skills::register', { id: 'good/limits', skill: '# Limits\n' })
    const many = Array.from({ length: 510 }, (_, n) => ({ id: `s${n}`, skill: '# S\n' }))
    await Promise.all(many.map((skill) => registry.call('skills::register', skill)))
    const { stdout } = await runCommandLine(['lint', '--json'], { III_URL: engine.url })
    const { skills, findings } = JSON.parse(stdout) as { skills: number; findings: SkillFinding[] }
    expect([skills, findings.length]).toEqual([512, 511])
    expect(findings[0]).toMatchObject({
      id: 'good/limits',
      verdict: 'left_out',
      reason: expect.stringContaining('another file'),
    })
  })
})

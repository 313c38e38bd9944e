import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { skillsProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { SIMULATED_TERMINAL } from '../simulated-terminal.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'

const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['skills'] }))
})
afterAll(() => cleanup.run())

/** Runs `iii-skills` with these words, finding the engine by the environment. */
const operate = (...args: string[]) =>
  runToEnd({ ...skillsProgram(stack.engineUrl), args, env: { III_URL: stack.engineUrl } })

const call = (function_id: string, payload: object) => stack.worker.trigger({ function_id, payload })

async function writeTree(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

async function readTree(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { withFileTypes: true, recursive: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  return Object.fromEntries(paths.map((path, at) => [path.slice(root.length + 1), texts[at] ?? '']))
}

const TREE = {
  'shop/SKILL.md': '---\nname: The shop\ndescription: Sells things\n---\n# Ignored\n',
  'shop/references/PRICES.md': '\uFEFF---\r\nname: Prices\r\n---\r\n😀 no line at the end',
  'shop/scripts/check it.py': 'print()',
  'more/prices.md': '\uFEFF---\r\nname: Prices\r\n---\r\n😀 no line at the end',
  'more.md': '# More',
  'help.md': '# Help\n\nWho to ask.\n',
}

scenario(['operator/terminal'], 'a skill that would clear the screen is shown on a simulated terminal', async () => {
  const skill = '# Red \u001b[31mtitle\n\n\u001b[2J\u001b]0;mine\u0007\u009b1m back\rwards \u202edrow\r\nend\n'
  await call('skills::register', { id: 'terminal', skill })
  const see = async (env: Readonly<Record<string, string>>, ...args: string[]) => {
    const chunks: Buffer[] = []
    const onBytes = (bytes: Buffer) => void chunks.push(bytes)
    const program = { ...skillsProgram(stack.engineUrl), args, env: { III_URL: stack.engineUrl, ...env }, onBytes }
    expect((await runToEnd(program)).code).toBe(0)
    return Buffer.concat(chunks).toString()
  }
  expect(await see({}, 'read', 'terminal')).toBe(skill)
  const shown = await see(SIMULATED_TERMINAL, 'read', 'terminal')
  expect(shown).toBe(
    '# Red \\u{1b}[31mtitle\n\n\\u{1b}[2J\\u{1b}]0;mine\\u{7}\\u{9b}1m back\\u{d}wards \\u{202e}drow\nend\n',
  )
  for (const args of [
    ['list', 'terminal'],
    ['list', 'terminal', '--json'],
    ['read', 'terminal', '--json'],
  ]) {
    const text = await see(SIMULATED_TERMINAL, ...args)
    expect(text.replaceAll('\n', '')).toMatch(/^[^\p{Cc}\p{Cf}]+$/u)
  }
  expect((await operate('remove', 'terminal')).code).toBe(0)
})

scenario(['operator/list'], 'an operator lists, reads and removes skills', async () => {
  await call('skills::register', { id: 'desk', skill: '# The desk\n' })
  await call('skills::register', { id: 'desk/lamp', skill: '# Lamp' })
  const { code, stdout, stderr } = await operate('list', 'desk')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/).filter(Boolean))).toEqual([
    ['ID', 'SIZE', 'REGISTERED (UTC)', ...(stdout.includes('OWNER') ? ['OWNER'] : []), 'TITLE'],
    expect.arrayContaining(['desk', '11 B', 'The desk']),
    expect.arrayContaining(['desk/lamp', '6 B', 'Lamp']),
  ])
  expect((await operate('read', 'desk')).stdout).toBe('# The desk')
  const { skills } = JSON.parse((await operate('list', 'desk/', '--json')).stdout)
  expect(skills).toMatchObject([{ id: 'desk/lamp', bytes: 6, title: 'Lamp' }])
  expect(await operate('remove', 'desk', 'desk/lamp')).toMatchObject({ code: 0, stdout: '2 removed' })
  expect((await operate('list', 'desk')).stderr).toBe('no skills')
})

scenario(['operator/list'], 'an operator lists and removes prompts', async () => {
  const prompt = { name: 'ask-desk', description: 'Ask the desk', function_id: 'desk::ask' }
  await call('prompts::register', prompt)
  const { stdout } = await operate('prompts', 'list')
  expect(stdout).toMatch(/^ask-desk +desk::ask +0 .* Ask the desk$/m)
  expect(await operate('prompts', 'remove', 'ask-desk')).toMatchObject({ code: 0, stdout: '1 removed' })
  expect((await operate('prompts', 'remove', 'ask-desk')).code).toBe(3)
})

scenario(['operator/list'], 'a list that nobody reads to its end is no error', async () => {
  await call('skills::register', { id: 'desk', skill: '# The desk\n' })
  const child = startChild({ ...skillsProgram(stack.engineUrl), args: ['list', '--url', stack.engineUrl] })
  child.stopReading()
  expect(await child.exited).toEqual({ code: 0, signal: null })
  expect(child.stderr).toEqual([])
  await operate('remove', 'desk')
})

scenario(
  ['operator/folders'],
  'what was imported is exported as it was, and imported again changes nothing',
  async () => {
    await using folder = await createTempFolder()
    const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')]
    await writeTree(from, TREE)
    expect(await operate('import', from)).toMatchObject({ code: 0, stdout: '4 new', stderr: '' })
    const { skills } = JSON.parse((await operate('list', '--json')).stdout)
    expect(skills).toMatchObject([
      { id: 'help', title: 'Help' },
      { id: 'more', title: 'More' },
      { id: 'more/prices', title: 'Prices' },
      { id: 'shop', title: 'The shop' },
    ])
    const uri = 'skill://shop/references/PRICES.md'
    expect(await call('skills::resources-read', { uri })).toMatchObject({
      contents: [{ uri, mimeType: 'text/markdown', text: TREE['shop/references/PRICES.md'] }],
    })
    expect(await operate('export', to)).toMatchObject({ code: 0, stdout: '4 new', stderr: '' })
    expect(await readTree(to)).toEqual(TREE)
    expect((await operate('import', to)).stdout).toBe('4 unchanged')
    expect(JSON.parse((await operate('list', '--json')).stdout)).toEqual({ skills, left_out: 0 })
    expect((await operate('export', from)).stdout).toBe('4 unchanged')
    expect((await operate('remove', ...skills.map(({ id }: { id: string }) => id))).code).toBe(0)
  },
)

scenario(
  ['operator/names'],
  'a folder is imported as people name its files, and what cannot be a skill is named',
  async () => {
    await using folder = await createTempFolder()
    const files = {
      'PDF Tools/SKILL.md': '---\nname: PDF tools\ndescription: Reads them\n---\n',
      'PDF Tools/references/FORMS.md': '\uFEFF# Forms\r\n',
      'README.md': '# Read me',
    }
    await writeTree(folder.path, { ...files, 'What?.md': '# What', 'functions/x.md': '# Reserved' })
    const { code, stdout, stderr } = await operate('import', folder.path, '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      new: ['pdf-tools', 'readme'],
      refused: [{ name: 'What?.md' }, { name: 'functions/x.md' }],
    })
    expect(stderr).toMatch(/^What\?\.md: invalid id .*; call it what\.md$/m)
    const { skills } = JSON.parse((await operate('list', 'pdf-tools', '--json')).stdout)
    expect(skills).toMatchObject([{ title: 'PDF tools' }])
    expect(await operate('export', folder.path)).toMatchObject({ code: 0 })
    expect(await readTree(folder.path)).toMatchObject(files)
    expect((await operate('import', folder.path)).stdout).toMatch(/^\d+ unchanged, 2 refused$/)
    await operate('remove', 'pdf-tools', 'readme')
  },
)

scenario(
  ['operator/lint'],
  'what keeps the skills of a folder from being served is said before and after they are imported, and mended',
  async () => {
    await using folder = await createTempFolder()
    const skill = (name: string) => `---\nname: ${name}\ndescription: Sells things.\n---\n`
    await writeTree(folder.path, { 'lint/shop/SKILL.md': skill('The shop'), 'lint/a--b.md': skill('a--b') })
    const before = await runToEnd({ ...skillsProgram('ws://127.0.0.1:9'), args: ['lint', folder.path] })
    expect(before).toMatchObject({ code: 1, stderr: expect.stringContaining('2 skills, 1 not served, 1 with front') })
    expect(before.stdout).toMatch(/^not served +lint\/a--b\.md +.*register it as lint\/a-b$/m)
    expect(before.stdout).toMatch(/^rendered +lint\/shop\/SKILL\.md +.*write name: shop$/m)
    expect(await operate('import', folder.path)).toMatchObject({ code: 0 })
    expect(await operate('lint', 'lint/a--b')).toMatchObject({ code: 1, stdout: expect.stringContaining('lint/a-b') })
    await operate('remove', 'lint/a--b')
    await writeTree(folder.path, { 'lint/shop/SKILL.md': skill('shop') })
    await operate('import', folder.path)
    expect(await operate('lint', 'lint/shop')).toEqual(
      expect.objectContaining({ code: 0, stdout: '', stderr: '1 skill: all are served as they are' }),
    )
    expect(await operate('lint', 'lint/none')).toMatchObject({ code: 3 })
    await operate('remove', 'lint/shop', 'lint/a--b')
  },
)

scenario(['operator/inside'], 'links are followed neither out of the folder nor into another', async () => {
  await using folder = await createTempFolder()
  const [inside, outside] = [join(folder.path, 'inside'), join(folder.path, 'outside')]
  await writeTree(outside, { 'secret.md': 'secret', 'shelf.md': 'untouched' })
  await writeTree(inside, { 'box.md': 'box' })
  await symlink(join(outside, 'secret.md'), join(inside, 'secret.md'))
  await symlink(outside, join(inside, 'more'))
  const imported = await operate('import', inside)
  expect(imported).toMatchObject({ code: 1, stdout: '1 new, 2 refused' })
  expect(imported.stderr).toContain('secret.md: is a symbolic link, which is not followed')
  await call('skills::register', { id: 'more/shelf', skill: 'overwritten' })
  await call('state::set', {
    scope: 'skills',
    key: 'box/up',
    value: { id: '../../up', skill: 'x', registered_at: '2026-11-21T00:00:00.000Z' },
  })
  const exported = await operate('export', inside, '--force')
  expect(exported.code).toBe(1)
  expect(exported.stderr).toContain('more/shelf: more is a symbolic link, which is not followed')
  expect(await readTree(outside)).toEqual({ 'secret.md': 'secret', 'shelf.md': 'untouched' })
  expect((await readdir(folder.path)).sort()).toEqual(['inside', 'outside'])
  await call('state::delete', { scope: 'skills', key: 'box/up' })
  await operate('remove', 'box', 'more/shelf')
})

scenario(
  ['operator/exit-codes'],
  'an exit code says what became of a command, and the text what would be right',
  async () => {
    await using folder = await createTempFolder()
    await writeTree(folder.path, { 'My Skills!/SKILL.md': 'x', 'fine.md': 'x' })
    const refused = await operate('import', folder.path)
    expect(refused).toMatchObject({ code: 1, stdout: '1 new, 1 refused' })
    expect(refused.stderr).toMatch(/^My Skills!\/SKILL\.md: .*; call it my-skills\/SKILL\.md$/)
    expect(await operate('lst')).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean list?') })
    expect(await operate('import', folder.path, '--prun')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean --prune?'),
    })
    expect(await operate('remove', 'fine', 'gone')).toMatchObject({ code: 3, stdout: '1 removed, 1 not there' })
    expect(await operate('read', 'gone')).toMatchObject({ code: 3 })
    const nobody = await operate('list', '--url', 'ws://127.0.0.1:9')
    expect(nobody).toMatchObject({ code: 4, stderr: expect.stringContaining('no engine answers at ws://127.0.0.1:9') })
  },
)

scenario(['operator/exit-codes'], 'an engine without a registry is named, with how to start one', async () => {
  await stack.stop('skills')
  const { code, stderr } = await operate('list', '--url', stack.engineUrl)
  await stack.startSkills()
  expect(code).toBe(4)
  expect(stderr).toContain(`there is no skills registry on the engine at ${stack.engineUrl}`)
})

import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readTemplate, writeProject } from './project.ts'

const TEMPLATE = fileURLToPath(new URL('../template/', import.meta.url))
const read = (name: string, language: 'typescript' | 'javascript') =>
  new Map(readTemplate(TEMPLATE, name, language).map(({ path, text }) => [path, text]))

describe('a project', () => {
  it('has the name of its worker wherever it stands, and that of the template nowhere', () => {
    const files = read('tea-house', 'typescript')
    expect([...files.keys()].sort()).toEqual([
      '.gitignore',
      'README.md',
      'iii.worker.yaml',
      'package.json',
      'skills/tea-house.md',
      'src/main.ts',
      'src/worker.test.ts',
      'src/worker.ts',
      'tsconfig.json',
    ])
    expect([...files.values()].join()).not.toContain('hello')
    expect(files.get('src/worker.ts')).toContain("registerFunction('tea-house::greet'")
    expect(files.get('skills/tea-house.md')).toContain('`tea-house__greet`')
    expect(JSON.parse(files.get('package.json') ?? '')).toMatchObject({ name: 'tea-house', private: true })
  })

  it('is the same in plain JavaScript, without types', () => {
    const [typescript, javascript] = [read('hello', 'typescript'), read('hello', 'javascript')]
    const sources = [...typescript].filter(([path]) => path.endsWith('.ts'))
    expect([...javascript.keys()].filter((path) => path.endsWith('.js'))).toHaveLength(sources.length)
    for (const [path, text] of sources) {
      const twin = javascript.get(path.replace(/\.ts$/, '.js')) ?? ''
      expect(compile(twin, { isPlain: true }), path).toBe(compile(text).replaceAll(".ts'", ".js'"))
    }
    expect(javascript.get('src/worker.js')).toContain(" * @param {import('@iii/sdk').Worker} worker\n */\n")
    const [own, other] = [typescript, javascript].map((files) => JSON.parse(files.get('package.json') ?? ''))
    for (const field of ['scripts', 'dependencies', 'devDependencies'])
      expect(Object.keys(own[field])).toEqual(expect.arrayContaining(Object.keys(other[field])))
  })

  it('needs what its generator names, so that a new version of that is a new version of it', () => {
    const needed = ['typescript', 'javascript'].flatMap((language) => {
      const manifest = JSON.parse(readFileSync(join(TEMPLATE, language, 'package.json'), 'utf8'))
      return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
    })
    const own = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    const ours = [...new Set(needed)].filter((name) => name.startsWith('@iii/'))
    expect(Object.keys(own.dependencies)).toEqual(expect.arrayContaining(ours))
    expect(Object.keys({ ...own.dependencies, ...own.devDependencies })).toEqual(expect.arrayContaining(needed))
  })
})

/** As a compiler prints it: comments and blank lines do not count. A type in plain JavaScript is an error. */
function compile(text: string, { isPlain = false } = {}): string {
  const kinds = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext }
  const { outputText, diagnostics } = ts.transpileModule(text, {
    compilerOptions: { ...kinds, removeComments: true, verbatimModuleSyntax: true, allowJs: true },
    fileName: isPlain ? 'a.js' : 'a.ts',
    reportDiagnostics: true,
  })
  expect(diagnostics).toEqual([])
  return outputText
}

describe('a folder', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'create-iii-worker-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
  const files = [{ path: 'src/a.ts', text: 'a\n' }]

  it('is made, or taken when there is nothing in it but a repository', async () => {
    await writeProject(join(folder, 'new/one'), files)
    expect(readFileSync(join(folder, 'new/one/src/a.ts'), 'utf8')).toBe('a\n')
    await mkdir(join(folder, 'empty/.git'), { recursive: true })
    await writeProject(join(folder, 'empty'), files)
    expect(readFileSync(join(folder, 'empty/src/a.ts'), 'utf8')).toBe('a\n')
  })

  it('is left alone when something is in it, which is named', async () => {
    for (const name of ['1', '2', '3', '4', '5']) await writeFile(join(folder, name), name)
    await expect(writeProject(folder, files)).rejects.toThrow(/ is not empty: it has 1, 2, 3 and 2 more\. Name another/)
    await expect(writeProject(join(folder, '1'), files)).rejects.toThrow(/1 is a file\. Name another folder/)
    await expect(writeProject(join(folder, '1/tea'), files)).rejects.toThrow(
      /^no folder can be made at .*tea.*: there is a file on the way to it$/,
    )
    await symlink('nowhere', join(folder, 'link'))
    await expect(writeProject(join(folder, 'link'), files)).rejects.toThrow(
      /link: a symbolic link there leads nowhere$/,
    )
  })
})

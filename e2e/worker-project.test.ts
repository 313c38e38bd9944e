import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type ProjectLanguage, readTemplate } from '../packages/create-worker/src/project.ts'

/** `docs/worker-project.md` is what `npm create iii-worker` writes: each block that names a file is that file. */
const page = readFileSync(new URL('../docs/worker-project.md', import.meta.url), 'utf8')
const blocks = new Map(
  [...page.matchAll(/^```\w+ (\S.*)\n([\s\S]*?)^```$/gm)].map(([, file = '', text = '']) => [file, text]),
)

const TEMPLATE = fileURLToPath(new URL('../packages/create-worker/template/', import.meta.url))
const read = (language: ProjectLanguage) =>
  new Map(readTemplate(TEMPLATE, 'hello', language).map(({ path, text }) => [path, text]))
const typescript = read('typescript')
const readManifest = (files: ReadonlyMap<string, string>) => JSON.parse(files.get('package.json') ?? '')

/** What the page says in words. */
const IN_WORDS = ['.gitignore', 'README.md', 'package.json']

describe('the page of a project of its own', () => {
  it('has each file of it, word for word, and no other', () => {
    const whole = [...typescript].filter(([path]) => !IN_WORDS.includes(path))
    expect(whole.length).toBeGreaterThan(5)
    for (const [path, text] of whole) expect(blocks.get(path), path).toBe(text)
    const manifests = ['package.json', 'package.json of plain JavaScript']
    expect([...blocks.keys()].sort()).toEqual([...whole.map(([path]) => path), ...manifests].sort())
  })

  it('has its manifest, and installs what that needs', () => {
    const { dependencies, devDependencies, ...manifest } = readManifest(typescript)
    expect(JSON.parse(blocks.get('package.json') ?? '')).toEqual(manifest)
    const [, needed, forWork] = /^npm install (@iii.+)\nnpm install --save-dev (.+)$/m.exec(page) ?? []
    expect(needed?.split(' ')).toEqual(Object.keys(dependencies))
    expect(forWork?.split(' ')).toEqual(Object.keys(devDependencies))
  })

  it('has the scripts of plain JavaScript, and what that does without', () => {
    const [own, other] = [readManifest(typescript), readManifest(read('javascript'))]
    expect(JSON.parse(blocks.get('package.json of plain JavaScript') ?? '')).toEqual({ scripts: other.scripts })
    const [, without = ''] = /none of the packages (.+?), and has$/m.exec(page) ?? []
    const names = [...without.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    expect(Object.keys(own.devDependencies).filter((name) => !names.includes(name))).toEqual(
      Object.keys(other.devDependencies),
    )
  })

  it('leaves out of the repository what is made', () => {
    for (const folder of (typescript.get('.gitignore') ?? '').trim().split('\n').slice(1)) {
      expect(page).toMatch(new RegExp(`\`${folder}\`[^\\n]* \`\\.gitignore\``))
    }
  })
})

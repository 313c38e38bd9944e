import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readProject } from './project.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'iii-pack-worker-'))
})
afterEach(() => rm(folder, { recursive: true }))

const write = (path: string, text: string) => writeFile(join(folder, path), text)
const WORKER = 'name: tea\ndescription: Makes tea\nscripts: { install: "", start: exec node bundle/index.mjs }\n'

it('reads who a worker is and what starts it', async () => {
  const repository = { url: 'git+https://example.com/o/tea.git' }
  await write('package.json', JSON.stringify({ version: '1.2.3', license: 'MIT', repository }))
  await write('iii.worker.yaml', `${WORKER}dependencies: { skills: ^1.0.0 }\n`)
  await write('README.md', '# tea')
  await write('index.js', '')
  const { worker, main } = readProject(folder, 'index.js')
  expect(main).toBe('index.js')
  expect(worker).toEqual({
    name: 'tea',
    version: '1.2.3',
    license: 'MIT',
    repository: 'https://example.com/o/tea',
    readme: '# tea',
    manifest: {
      name: 'tea',
      description: 'Makes tea',
      scripts: { install: '', start: 'exec node bundle/index.mjs' },
    },
    needs: { skills: '^1.0.0' },
  })
})

it('says which file lacks what', async () => {
  expect(() => readProject(folder)).toThrow(/^There is no package\.json in .*npm create iii-worker$/)
  await write('package.json', '{ "name": "tea" }')
  await write('iii.worker.yaml', `${WORKER}version: 1.0.0\n`)
  expect(() => readProject(folder)).toThrow(/^package\.json: version: must be a string, but it is missing$/)
  await write('package.json', '{ "version": "0.1.0" }')
  expect(() => readProject(folder)).toThrow(
    /^iii\.worker\.yaml is not as the engine reads it: .*must not have the key "version"$/,
  )
  await write('iii.worker.yaml', 'name: [\n')
  expect(() => readProject(folder)).toThrow(/^iii\.worker\.yaml: /)
  await write('package.json', '{\n')
  expect(() => readProject(folder)).toThrow(/^package\.json: /)
  await write('package.json', '{ "version": "0.1.0" }')
  for (const other of ['dist/main.js', 'dist/index.mjs', 'index.mjs']) {
    await write('iii.worker.yaml', WORKER.replace('bundle/index.mjs', other))
    expect(() => readProject(folder)).toThrow(
      /^iii\.worker\.yaml: scripts\.start has to start bundle\/index\.mjs, for example: exec node bundle\/index\.mjs$/,
    )
  }
  await write('iii.worker.yaml', WORKER)
  expect(() => readProject(folder)).toThrow(/^There is no file src\/main\.ts in .*--main FILE$/)
})

it('takes a whole path, and no folder', async () => {
  await write('package.json', '{ "version": "0.1.0" }')
  await write('iii.worker.yaml', WORKER)
  await write('index.js', '')
  await mkdir(join(folder, 'src/main.ts'), { recursive: true })
  expect(readProject(folder, join(folder, 'index.js')).main).toBe(join(folder, 'index.js'))
  expect(() => readProject(folder, 'src')).toThrow(/^There is no file src in .*--main FILE$/)
  expect(() => readProject(folder)).toThrow(/^There is no file src\/main\.ts in .*--main FILE$/)
  await rm(join(folder, 'package.json'))
  await mkdir(join(folder, 'package.json'))
  expect(() => readProject(folder)).toThrow(/^package\.json: it is a folder$/)
})

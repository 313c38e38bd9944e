import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildCarried, createCarriedPlugin } from './carried.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'iii-packaging-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** @returns where it is now */
async function write(path: string, text: string): Promise<string> {
  const place = join(folder, path)
  await mkdir(join(place, '..'), { recursive: true })
  await writeFile(place, text)
  return place
}

async function bundle(entry: string, plugin: Plugin): Promise<string> {
  const settings = { absWorkingDir: folder, platform: 'node', format: 'esm' } as const
  const quietly = { write: false, logLevel: 'silent' } as const
  const { outputFiles } = await build({
    ...settings,
    ...quietly,
    entryPoints: [entry],
    bundle: true,
    plugins: [plugin],
  })
  return outputFiles[0]?.text ?? ''
}

const EMPTY = 'export const readCarriedPackages = (): Readonly<Record<string, string>> => ({})\n'

it('puts packages where the source has none, and refuses a source that is written in another way', async () => {
  await write('carried-packages.ts', EMPTY)
  const texts = { a: 'export const one = 1', b: '// €' }
  const made = await write('made.mjs', await bundle('carried-packages.ts', createCarriedPlugin(texts)))
  expect((await import(pathToFileURL(made).href)).readCarriedPackages()).toEqual(texts)
  await write('carried-packages.ts', 'export const readCarriedPackages = () => ({})\n')
  await expect(bundle('carried-packages.ts', createCarriedPlugin({}))).rejects.toThrow('carried-packages.ts says')
})

it('makes each package one module, which imports the others by their names', async () => {
  const manifest = (name: string) => JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js' })
  await write('node_modules/one/package.json', manifest('one'))
  await write(
    'node_modules/one/index.js',
    "import { two } from 'two'\nimport deep from './deep.js'\nexport default [two, deep]\n",
  )
  await write('node_modules/one/deep.js', "export default 'from deep'\n")
  await write('node_modules/two/package.json', manifest('two'))
  await write('node_modules/two/index.js', 'export const two = 2\n')
  const { texts, inputs } = await buildCarried(folder, ['one', 'two'])
  expect(texts['one']).toMatch(/from\s?"two"/)
  expect(texts['one']).toContain('from deep')
  expect(texts['two']).not.toMatch(/from\s?"one"/)
  expect(inputs).toContain(join(folder, 'node_modules/two/index.js'))
})

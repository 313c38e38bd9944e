import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildScript } from './script.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'iii-pack-worker-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function write(path: string, text: string): Promise<string> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return file
}

const INSTALLED = 'node_modules/installed'

it('is all of a worker in one file: packages, texts that it reads, and the licences of others', async () => {
  await write('skills/a.md', '`text` of a $& file\n')
  await write(`${INSTALLED}/package.json`, '{ "name": "installed", "version": "1.2.3", "license": "MIT" }')
  await write(`${INSTALLED}/LICENSE`, 'Provided \u201cas is\u201d \u2013 to the licensee\u2019s liking')
  await write(`${INSTALLED}/index.js`, "module.exports = require('node:path').sep + process.version\n")
  const main = `#!/usr/bin/env -S node --old
import { readFileSync } from 'node:fs'
import installed from 'installed'
const text: string = readFileSync(new URL("../skills/a.md", import.meta.url), 'utf8')
const { sep } = await import('node:path')
console.log(text.trim(), installed.length > 1, import.meta.url.split(sep).pop())
export const version = installed
export { text as default }
`
  await write('src/main.ts', main)
  const script = await buildScript(folder, 'src/main.ts')
  expect(script.match(/^#!.*$/gm)).toEqual(['#!/bin/sh'])
  expect(script).toContain('installed 1.2.3, MIT')
  // One letter beyond Latin-1 would double what the text takes in memory.
  expect(script).toContain(`Provided "as is" - to the licensee's liking`)
  await rm(join(folder, 'skills'), { recursive: true })
  await rm(join(folder, 'node_modules'), { recursive: true })
  // Without an ending, as it lies in an archive, below whatever stands where it is unpacked.
  const file = await write('elsewhere/worker', script)
  const said: string[] = []
  for (const manifest of ['{}', '{ "type": "commonjs" }', '{ "type": "module" }']) {
    await write('elsewhere/package.json', manifest)
    said.push(execFileSync(process.execPath, [file], { encoding: 'utf8' }))
  }
  expect(said).toEqual(Array(3).fill('`text` of a $& file true worker\n'))
  const bundle = await write('elsewhere/bundle/index.mjs', script)
  expect(execFileSync(process.execPath, [bundle], { encoding: 'utf8' })).toBe('`text` of a $& file true index.mjs\n')
})

it.each(['LICENSES', 'license'])('has the licences of a package that keeps them in the folder %s', async (name) => {
  await write(`${INSTALLED}/package.json`, '{ "name": "installed", "version": "1.2.3", "license": "MIT" }')
  await write(`${INSTALLED}/${name}/MIT.txt`, 'Permission is granted')
  await write(`${INSTALLED}/${name}/deeper/0BSD.txt`, 'And there too')
  await write(`${INSTALLED}/index.js`, 'module.exports = 1\n')
  await write('src/main.ts', "import 'installed'\n")
  const script = await buildScript(folder, 'src/main.ts')
  expect(script).toContain('installed 1.2.3, MIT\n\nPermission is granted\n\nAnd there too')
})

it('ends as a module does where its top level throws', async () => {
  await write('src/main.ts', "await Promise.reject(new Error('no good'))\n")
  const file = await write('worker', await buildScript(folder, 'src/main.ts'))
  const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('Error: no good') })
})

it('leaves alone how a package reads its own files', async () => {
  await write(`${INSTALLED}/package.json`, '{ "name": "installed", "type": "module", "exports": "./index.js" }')
  const reads = "readFileSync(new URL('none.txt', import.meta.url), 'utf8')"
  await write(`${INSTALLED}/index.js`, `import { readFileSync } from 'node:fs'\nexport const read = () => ${reads}\n`)
  await write('src/main.js', "import { read } from 'installed'\nread()\n")
  expect(await buildScript(folder, 'src/main.js')).toContain('new URL("none.txt", importMetaOfScript.url)')
})

it('says which source needs what cannot be packed', async () => {
  await write('src/main.ts', "import './gone.ts'\n")
  await expect(buildScript(folder, 'src/main.ts')).rejects.toThrow(/^src\/main\.ts:1: Could not resolve "\.\/gone\.ts"/)
  await write('src/main.ts', "import addon from '../build/addon.node'\nconsole.log(addon)\n")
  await write('build/addon.node', '')
  await expect(buildScript(folder, 'src/main.ts')).rejects.toThrow(/native code cannot be packed into one file$/)
  await write('src/main.ts', "readFileSync(new URL('../gone.md', import.meta.url), 'utf8')\n")
  await expect(buildScript(folder, 'src/main.ts')).rejects.toThrow(/gone\.md/)
})

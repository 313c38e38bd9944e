import { symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runToEnd, startChild } from './child.ts'
import { createCleanup } from './cleanup.ts'
import { readFiles, readPage } from './pages.ts'
import { ENGINE_READY, engineProgram } from './programs.ts'
import { createTempFolder } from './stack.ts'

/** The code of `docs/testing-your-worker.md` does what the page says: each block names the file that it is a part of. */
const page = readPage('docs/testing-your-worker.md')
const files = readFiles(page)

const require = createRequire(import.meta.url)
const cleanup = createCleanup()
let folder: string

/** The files of the page in a folder of their own, in which the packages of this one are installed. */
beforeAll(async () => {
  folder = cleanup.use(await createTempFolder()).path
  await symlink(fileURLToPath(new URL('./node_modules', import.meta.url)), join(folder, 'node_modules'), 'junction')
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [name, code] of files) await writeFile(join(folder, name), code)
})
afterAll(() => cleanup.run())

it('the page has nothing that is not run here', () => {
  expect([...files.keys()]).toEqual(['tea.ts', 'tea.test.ts', 'tea-test.mjs', 'iii-mock-engine'])
  const unnamed = [...page.matchAll(/^```(\w*)\n/gm)].map(([, language]) => language).filter((word) => word !== '')
  expect(unnamed).toEqual(['sh'])
})

it('its tests pass', async () => {
  const conditions = ['@iii/source', 'node', 'development|production']
  const config = { ssr: { resolve: { conditions } }, test: { include: ['tea.test.ts'], reporters: ['json'] } }
  await writeFile(join(folder, 'vitest.config.js'), `export default ${JSON.stringify(config)}`)
  const entry = pathToFileURL(join(require.resolve('vitest/package.json'), '../vitest.mjs'))
  const { code, stdout, stderr } = await runToEnd({ name: 'vitest', entry, args: ['run'], cwd: folder }, 90_000)
  expect(code, `${stdout}\n${stderr}`).toBe(0)
  const tests = files.get('tea.test.ts')?.match(/^test\(/gm)
  expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: tests?.length, numTotalTests: tests?.length })
}, 100_000)

it('its test in plain JavaScript passes', async () => {
  const entry = pathToFileURL(join(folder, 'tea-test.mjs'))
  const env = { NODE_OPTIONS: `--conditions=@iii/source --import ${pathToFileURL(require.resolve('tsx')).href}` }
  const { code, stdout } = await runToEnd({ name: 'node:test', entry, env, cwd: folder }, 60_000)
  expect(code, stdout).toBe(0)
  expect(stdout).toMatch(/^(?:#|ℹ) pass 1$/m)
}, 70_000)

it('its command starts an engine with the faults', async () => {
  const [program, name, ...words] = [...(files.get('iii-mock-engine') ?? '').matchAll(/'([^']*)'|\S+/g)].map(
    ([word, quoted]) => quoted ?? word,
  )
  expect([program, name]).toEqual(['npx', 'iii-mock-engine'])
  const { args = [], ...engine } = engineProgram({ enginePort: 0, httpPort: 0 })
  await using child = startChild({ ...engine, args: [...args, ...words] })
  await child.line(ENGINE_READY)
})

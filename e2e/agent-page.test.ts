import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { runToEnd } from './child.ts'
import { createCleanup } from './cleanup.ts'
import { readFiles, readPage } from './pages.ts'
import { createTempFolder, startStack } from './stack.ts'

const cleanup = createCleanup()
afterAll(() => cleanup.run())

it('the program of the first page lists tools and calls one', async () => {
  const stack = cleanup.use(await startStack({ workers: ['bridge', 'orders'] }))
  const { path } = cleanup.use(await createTempFolder())
  await symlink(fileURLToPath(new URL('./node_modules', import.meta.url)), join(path, 'node_modules'), 'junction')
  const code = readFiles(readPage('docs/getting-started.md')).get('agent.mjs') ?? ''
  const entry = join(path, 'agent.mjs')
  await writeFile(entry, code.replace('http://127.0.0.1:3111/mcp', stack.mcpUrl))

  const run = await runToEnd({ name: 'agent', entry: pathToFileURL(entry), cwd: path }, 20_000)
  expect([run.code, run.stderr]).toEqual([0, ''])
  expect(run.stdout).toContain("'orders__create'")
  expect(run.stdout).toContain('"total":0')
}, 60_000)

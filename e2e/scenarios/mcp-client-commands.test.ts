import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { readJournal } from '../mcp-servers/fixture.ts'
import { type ServerStage, startServerStage } from '../mcp-servers/stage.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'

const cleanup = createCleanup()
let stack: Stack
let stage: ServerStage

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: ['bridge'] }))
  const servers = (entry: Parameters<Parameters<typeof startServerStage>[0]['servers']>[0]) => ({
    doubtful: { ...entry('honest'), trust: undefined },
    picky: entry('honest', {}, { tools: { deny: ['wait'] } }),
    shy: entry('honest', {}, { expose: false }),
  })
  stage = cleanup.use(await startServerStage({ engineUrl: stack.engineUrl, control: stack.worker, servers }))
  await stage.reaches('picky', 'ready')
  await stage.reaches('shy', 'ready')
})
afterAll(() => cleanup.run())

const starts = () => readJournal(stage.folder).filter(({ what }) => what === 'start').length

scenario(['mcp-client/commands'], 'list, show, tools and explain tell what there is, and start nothing', async () => {
  const before = starts()
  const list = await stage.command('list', '--json')
  expect(list.code, list.stderr).toBe(0)
  for (const name of ['calm', 'doubtful', 'picky', 'untrusted']) expect(list.stdout).toContain(name)
  const show = await stage.command('show', 'calm')
  expect(show).toMatchObject({ code: 0, stdout: expect.stringContaining('2025-11-25') })
  const tools = await stage.command('tools', 'picky')
  expect(tools).toMatchObject({ code: 0, stdout: expect.stringContaining('picky::echo') })
  expect(starts()).toBe(before)
})

scenario(
  ['mcp-client/commands'],
  'check starts a server by itself, tells what would be registered, and stops it',
  async () => {
    const before = starts()
    const check = await stage.command('check', 'calm')
    expect(check, check.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('calm::echo') })
    expect(starts()).toBe(before + 1)
    const doubtful = await stage.command('check', 'doubtful')
    expect(doubtful.code).not.toBe(0)
    expect(doubtful.stdout + doubtful.stderr).toContain('trust: unsandboxed')
    expect(starts()).toBe(before + 1)
  },
)

scenario(
  ['mcp-client/commands'],
  'doctor names what is wrong with a server, and that nothing holds it in',
  async () => {
    const doctor = await stage.command('doctor')
    expect(doctor.code).not.toBe(0)
    expect(doctor.stdout).toMatch(/doubtful[\s\S]*trust: unsandboxed/)
    expect(doctor.stdout).toMatch(/not sandboxed, with all rights of\s+the worker/)
  },
)

scenario(['mcp-client/commands'], 'an unknown server is answered with the nearest one', async () => {
  const wrong = await stage.command('show', 'calmm')
  expect(wrong.code).not.toBe(0)
  expect(wrong.stderr + wrong.stdout).toMatch(/calm\b/)
})

scenario(['mcp-client/commands'], 'each of three layers refuses with its own rule, and explains no other', async () => {
  const denied = await stage.command('explain', 'picky::wait')
  expect(denied.stdout).toMatch(/servers\.picky\.tools\.deny/)
  const args = ['explain', 'shy::echo', '--url', stack.engineUrl]
  const hidden = await runToEnd({ ...bridgeProgram(stack.engineUrl), args })
  expect(hidden.stdout).toMatch(/mcp\.expose/)
  // To the file it is in order, and who else decides is named.
  const registered = await stage.command('explain', 'shy::echo')
  expect(registered.stdout).toMatch(/registered[\s\S]*iii-mcp explain/)
  expect(registered.stdout).not.toMatch(/mcp\.expose/)
})

scenario(
  ['mcp-client/commands'],
  'import writes YAML without trust, and refuses literals that look like secrets',
  async () => {
    const file = join(stage.folder, 'mcp.json')
    await writeFile(
      file,
      JSON.stringify({
        mcpServers: {
          github: {
            command: 'github-mcp-server',
            args: ['stdio'],
            env: { GITHUB_TOKEN: ['$', '{GH_TOKEN}'].join('') },
          },
        },
      }),
    )
    const imported = await stage.command('import', file)
    expect(imported, imported.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('github-mcp-server') })
    expect(imported.stdout).toMatch(/env: GH_TOKEN|\{ env: GH_TOKEN \}/)
    expect(imported.stdout).not.toMatch(/^\s*trust:/m)
    expect(existsSync(join(stage.folder, 'github'))).toBe(false)
  },
)

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Exit, runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { openEngine } from '../engine.ts'
import { connectToEngine, hasFunctions, requestOnce, SKILLS_FUNCTIONS } from '../facts.ts'
import { PACK_MS, packPackages } from '../packed.ts'
import { ENGINE_READY } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'
import { until } from '../until.ts'

const root = new URL('../../', import.meta.url)
const pnpm = new URL('node_modules/pnpm/bin/pnpm.cjs', root)
const cleanup = createCleanup()
let folder: string

/** The programs as the build makes them. */
beforeAll(async () => {
  folder = cleanup.use(await createTempFolder()).path
  await packPackages()
}, PACK_MS)
afterAll(() => cleanup.run())

async function runPnpm(args: readonly string[], cwd: URL): Promise<string> {
  const options = {
    name: `pnpm ${args.join(' ')}`,
    entry: pnpm,
    args,
    cwd: fileURLToPath(cwd),
    env: { TURBO_TELEMETRY_DISABLED: '1' },
  }
  const { code, stdout, stderr } = await runToEnd(options)
  expect(code, `${stdout}\n${stderr}`).toBe(0)
  return stdout
}

const programs = [
  { bin: 'iii-mcp', name: 'mcp', folder: 'apps/mcp-bridge', flag: '--require-expose', wrong: '--require-exposed' },
  { bin: 'iii-skills', name: 'skills', folder: 'apps/skills-registry', flag: '--config', wrong: '--confg' },
  {
    bin: 'iii-mcp-client',
    name: 'mcp-client',
    folder: 'apps/mcp-client',
    flag: '--config',
    wrong: '--confg',
  },
  { bin: 'iii-runs', name: 'runs', folder: 'apps/run-records', flag: '--allow-run', wrong: '--allow-runs' },
  {
    bin: 'iii-mock-engine',
    name: undefined,
    folder: 'packages/mock-engine',
    flag: '--help',
    wrong: '--http-prot',
  },
]

function binProgram(bin: string, args: readonly string[]) {
  const program = programs.find((row) => row.bin === bin)
  return { name: bin, entry: new URL(`${program?.folder}/bin/${bin}.js`, root), args }
}

for (const { bin, name, folder: home, flag, wrong } of programs) {
  scenario(['bins/run'], `${bin} tells its version and its flags`, async () => {
    const { version } = JSON.parse(readFileSync(new URL(`${home}/package.json`, root), 'utf8'))
    expect((await runPnpm(['exec', bin, '--version'], root)).trim()).toMatch(new RegExp(`\\b${version}$`))
    const help = await runToEnd(binProgram(bin, ['--help']))
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain(flag)
  })

  scenario(['bins/flags'], `${bin} answers ${wrong} by naming ${flag}`, async () => {
    const reply = await runToEnd(binProgram(bin, [wrong, '1']))
    expect(reply).toMatchObject({ code: 2, stdout: '' })
    expect(reply.stderr).toContain(flag)
  })

  if (name === undefined) continue
  scenario(['bins/run'], `${bin} prints its manifest`, async () => {
    const { code, stdout } = await runToEnd(binProgram(bin, ['--manifest']))
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ name })
  })
}

scenario(['commands/install'], 'a client is given a server that starts, and the rest of its file stays', async () => {
  const file = join(folder, 'mcp.json')
  const before = '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "a" } // why\n  }\n}\n'
  await writeFile(file, before)
  const install = (...words: string[]) =>
    runToEnd(binProgram('iii-mcp', ['install', 'cursor', '--file', file, '--tier', 'ops', ...words]))
  const printed = await install('--print')
  const { command, args } = JSON.parse(printed.stdout).mcpServers.iii
  expect([command, args.slice(1)]).toEqual([expect.stringMatching(/node/), ['--tier', 'ops']])
  // A bare environment, as desktop clients have it.
  const { version } = JSON.parse(readFileSync(new URL('apps/mcp-bridge/package.json', root), 'utf8'))
  const started = spawnSync(command, [...args, '--version'], { encoding: 'utf8', env: {} })
  expect(started).toMatchObject({ status: 0, stdout: `${version}\n` })

  expect((await install()).code).toBe(0)
  expect(readFileSync(file, 'utf8')).toMatch(/\/\/ mine[\s\S]*"a"[\s\S]*\/\/ why[\s\S]*"iii"/)
  expect((await install()).stdout).toContain('nothing to do')
  expect(readFileSync(`${file}.iii-backup`, 'utf8')).toBe(before)
  expect((await install('--uninstall')).code).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(existsSync(`${file}.iii-backup`)).toBe(false)
})

scenario(
  ['commands/install-forms'],
  'an address goes into a client in its form, Codex has its table, and a failure is JSON for whoever asks for it',
  async () => {
    const file = join(folder, 'config.toml')
    await writeFile(file, 'model = "o" # mine\n')
    const install = (...words: string[]) => runToEnd(binProgram('iii-mcp', ['install', ...words, '--file', file]))
    const address = ['--transport', 'http', '--address', 'https://mcp.example.com/mcp']
    expect((await install('codex', ...address)).code).toBe(0)
    const written = 'model = "o" # mine\n\n[mcp_servers.iii]\nurl = "https://mcp.example.com/mcp"\n'
    expect(readFileSync(file, 'utf8')).toBe(written)
    const failed = await install('codex', '--json')
    expect([failed.code, JSON.parse(failed.stdout)]).toMatchObject([1, { exit_code: 1, file }])
    expect((await install('codex', '--transport', 'http', '--uninstall')).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('model = "o" # mine\n')
  },
)

scenario(
  ['commands/install-foreign'],
  'a server of somebody else stays under its name, until it is told to go',
  async () => {
    const file = join(folder, 'foreign.json')
    const before = '{ "mcpServers": { "iii": { "command": "docker", "args": ["run", "x"], "env": { "TOKEN": "1" } } } }'
    await writeFile(file, before)
    const install = (...words: string[]) =>
      runToEnd(binProgram('iii-mcp', ['install', 'cursor', '--file', file, ...words]))
    for (const words of [[], ['--uninstall']]) {
      const { code, stderr } = await install(...words)
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /line 1: .*started with docker\n +- "command": "docker"[\s\S]*--force.*nothing was written/,
        ),
      ])
      expect(stderr).toContain('- "env": {"TOKEN":"<secret>"}')
      expect(readFileSync(file, 'utf8')).toBe(before)
    }
    expect((await install('--force')).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toMatch(/node/)
    expect(readFileSync(file, 'utf8')).not.toMatch(/docker|TOKEN/)
  },
)

for (const [what, toEntry] of [
  ['program', () => Promise.resolve(binProgram('iii-runs', []).entry)],
  ['file', copyAlone],
] as const) {
  scenario(
    ['bins/run'],
    `the ${what} of iii-runs that was built runs a job by itself and reads its record`,
    async () => {
      await using engine = await openEngine(undefined)
      await using worker = connectToEngine(engine.url, 'shop')
      worker.registerFunction('e2e-built::sum', () => ({ sum: 3 }), { metadata: { 'runs.job': true } })
      await until(() => hasFunctions(worker, ['e2e-built::sum']), { what: 'the task' })
      const entry = await toEntry()
      const command = (...args: string[]) =>
        runToEnd({ name: 'iii-runs', entry, args: [...args, '--json', '--url', engine.url] })
      const ran = await command('run', 'e2e-built::sum')
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      const { id } = JSON.parse(ran.stdout) as { id: string }
      const read = await command('read', 'latest')
      expect(JSON.parse(read.stdout)).toMatchObject({ record: { id, via: 'cli', status: 'passed' } })
    },
  )
}

/** As an archive has it: without the package around it. */
async function copyAlone(): Promise<URL> {
  const alone = join(folder, 'runs.mjs')
  await cp(fileURLToPath(new URL('apps/run-records/bundle/index.mjs', root)), alone)
  return pathToFileURL(alone)
}

scenario(
  ['bins/run', 'bins/stop', 'bins/stdout', 'bins/port-taken'],
  'the built programs serve together, say nothing on stdout, and stop',
  async () => {
    await using engine = startChild(binProgram('iii-mock-engine', ['--port', '0', '--http-port', '0']))
    const [, engineUrl = '', httpUrl = ''] = await engine.line(ENGINE_READY)
    await using skills = startChild(binProgram('iii-skills', ['--url', engineUrl]))
    await using bridge = startChild(binProgram('iii-mcp', ['--engine-url', engineUrl, '--no-stdio']))
    await using worker = connectToEngine(engineUrl, 'test')
    await until(() => hasFunctions(worker, SKILLS_FUNCTIONS), { what: 'the registry', deadlineMs: 20_000 })
    await worker.trigger({ function_id: 'skills::register', payload: { id: 'built', skill: '# Built\n\nBundled.' } })
    const isListed = async () =>
      JSON.stringify(await requestOnce(`${httpUrl}/mcp`, 'resources/list')).includes('iii://built')
    await until(isListed, { what: 'the skill over MCP', deadlineMs: 20_000 })

    const ports = ['--port', new URL(engineUrl).port, '--http-port', '0']
    const second = await runToEnd(binProgram('iii-mock-engine', ports))
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toMatch(new RegExp(`^[^\n]*${ports[1]}[^\n]*--port[^\n]*$`))

    const stopped: Exit = { code: 0, signal: null }
    expect(await bridge.stop(10_000)).toEqual(stopped)
    expect(await skills.stop(10_000)).toEqual(stopped)
    expect(await engine.stop(10_000)).toEqual(stopped)
    expect([bridge.stdout, skills.stdout]).toEqual([[], []])
    expect(bridge.stderr.join('\n')).toContain('ready')
  },
)

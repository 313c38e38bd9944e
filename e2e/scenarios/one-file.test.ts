import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { type Engine, openEngine } from '../engine.ts'
import { type ManagedClient, startManagedClient, untilGone, type WorkerPlace } from '../managed-client.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'
import { startStdio } from '../stdio-process.ts'
import { until } from '../until.ts'

const FIRST_ANSWER_CPU_MS = 400
/** A busy machine may spoil one measurement; it does not spoil all of them. */
const ATTEMPTS = 6
/** Nobody listens there. */
const NO_ENGINE = 'ws://127.0.0.1:9'
const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'e2e', version: '0' } }

const app = new URL('../../apps/mcp-bridge/', import.meta.url)
const cleanup = createCleanup()
let folder: string
let engine: Engine
/** What starts the server where npm has installed it, and its one file alone, as an archive has it. */
let programs: { npm: string; archive: string }

beforeAll(async () => {
  folder = cleanup.use(await createTempFolder()).path
  engine = cleanup.use(await openEngine(undefined))
  const home = join(folder, 'node_modules/@iii/mcp')
  const build = {
    name: 'build',
    entry: new URL('../../packages/packaging/src/build.ts', import.meta.url),
    args: ['--out', home],
  }
  expect(await runToEnd({ ...build, cwd: fileURLToPath(app) }, 60_000)).toMatchObject({ code: 0 })
  const archive = join(folder, 'archive/mcp')
  await mkdir(join(folder, 'archive'))
  await cp(join(home, 'bundle/index.mjs'), archive)
  programs = { npm: join(home, 'bin/iii-mcp.js'), archive }
}, 100_000)
afterAll(() => cleanup.run())

scenario(['program/alone'], 'the npm package of an app needs no other, and has their licences', () => {
  const home = join(folder, 'node_modules/@iii/mcp')
  const files = readdirSync(home, { recursive: true }).map(String).sort()
  const folders = ['bin', 'bundle']
  expect(files).toEqual(
    [...folders, 'LICENSE', 'README.md', 'bin/iii-mcp.js', 'bundle/index.mjs', 'package.json'].sort(),
  )
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ name: '@iii/mcp', bin: { 'iii-mcp': './bin/iii-mcp.js' } })
  expect(Object.keys(manifest).filter((key) => /dependencies|scripts/i.test(key))).toEqual([])
  const program = readFileSync(join(home, 'bundle/index.mjs'), 'utf8')
  expect(program).toMatch(/This file contains:[\s\S]*\bws 8[\s\S]*Permission is hereby granted/)
})

scenario(['page/served'], 'the program that is one file has the page in it', async () => {
  const entry = pathToFileURL(programs.archive)
  cleanup.use(startChild({ name: 'archive', entry, args: ['--no-stdio', '--url', engine.url] }))
  const open = async () => {
    const reply = await fetch(`${engine.httpUrl}/mcp`, { headers: { accept: 'text/html' } })
    return { status: reply.status, text: await reply.text() }
  }
  await until(async () => (await open()).status === 200, { what: 'the page' })
  expect((await open()).text).toMatch(/^<!doctype html>/)
})

scenario(['bins/run'], 'the launchers of a checkout that is not built say what to do', async () => {
  for (const [name, bin] of [
    ['mcp-bridge', 'iii-mcp.js'],
    ['mcp-client', 'iii-mcp-client.js'],
    ['run-records', 'iii-runs.js'],
    ['skills-registry', 'iii-skills.js'],
  ] as const) {
    const checkout = join(folder, 'checkout', name)
    await mkdir(checkout, { recursive: true })
    await cp(fileURLToPath(new URL(`../${name}/package.json`, app)), join(checkout, 'package.json'))
    await cp(fileURLToPath(new URL(`../${name}/bin`, app)), join(checkout, 'bin'), { recursive: true })
    const ended = await runToEnd({ name, entry: pathToFileURL(join(checkout, 'bin', bin)) })
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: 'not built yet: run `npx pnpm build`' })
  }
})

scenario(['program/old-node'], 'a Node that is too old is named, with the one that is needed', async () => {
  const old = join(folder, 'old-node.cjs')
  await writeFile(
    old,
    `process.getBuiltinModule = undefined
    Object.defineProperty(process, 'version', { value: 'v18.20.4' })
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })`,
  )
  for (const program of Object.values(programs)) {
    const env = { NODE_OPTIONS: `--require=${old}` }
    const ended = await runToEnd({ name: 'mcp', entry: pathToFileURL(program), args: ['--version'], env })
    const said = `Node.js 20.19 or newer is needed, this is v18.20.4: ${process.execPath}`
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: said })
  }
})

/** Says on stderr what the process had used when it wrote the first time on stdout. */
const METER = `const { stdout, stderr } = process
const write = stdout.write
let isFirst = true
stdout.write = (...args) => {
  const { user, system } = process.cpuUsage()
  if (isFirst) stderr.write('first output after ' + Math.round((user + system) / 1000) + ' ms\\n')
  isFirst = false
  return write.apply(stdout, args)
}`

for (const [where, toUrl] of [
  ['while the engine is away', () => NO_ENGINE],
  ['while the engine runs', () => engine.url],
] as const) {
  scenario(['program/fast'], `the first answer of the installed server is cheap ${where}`, async () => {
    const meter = join(folder, 'meter.cjs')
    await writeFile(meter, METER)
    const measure = async () => {
      const args = ['--require', meter, programs.npm, '--url', toUrl()]
      await using server = startStdio({ command: process.execPath, args }, { NODE_EXTRA_CA_CERTS: '' })
      const { result } = await server.request('initialize', CLIENT)
      expect(result?.['serverInfo']).toMatchObject({ name: 'iii-mcp' })
      return Number(/first output after (\d+) ms/.exec(server.stderr())?.[1])
    }
    const spent: number[] = []
    while (spent.length < ATTEMPTS) spent.push(await measure())
    expect(Math.min(...spent), `CPU ms of each start: ${spent.join(' ')}`).toBeLessThanOrEqual(FIRST_ANSWER_CPU_MS)
  })
}

const CODES: readonly [string, string][] = [
  ['an expression', '({ a }) => ({ a, pid: process.pid, leader: process.ppid, folder: process.cwd() })'],
  [
    'a whole worker on our SDK, with zod',
    `import { registerWorker } from '@iii/sdk'
    import { z } from 'zod'
    const worker = registerWorker(process.env.III_URL, { name: 'whole' })
    const place = { pid: process.pid, leader: process.ppid, folder: process.cwd() }
    worker.registerFunction('made::one', ({ a }) => ({ a, ...place }), { request_format: z.object({ a: z.number() }) })`,
  ],
]
for (const layout of ['npm', 'archive'] as const) {
  for (const [what, code] of CODES) {
    scenario(['program/workers'], `the server from ${layout} runs ${what} that its client wrote`, async () => {
      const args = [programs[layout], '--url', engine.url, '--allow-run']
      const cwd = join(folder, layout)
      await mkdir(cwd, { recursive: true })
      await using client = await startManagedClient(engine.url, [], { command: process.execPath, args, cwd })
      const place = await runOnce(client, code)
      expect(existsSync(place.folder)).toBe(false)
      await untilGone(place)
    })
  }
}

/** Has it registered, called and stopped. */
async function runOnce(client: ManagedClient, code: string): Promise<WorkerPlace> {
  const made = await client.call('iii_worker_register', { language: 'node', code, function_name: 'made::one' })
  expect(made, made.text).toMatchObject({ isError: false })
  const { data } = await client.call('made__one', { a: 7 })
  expect(data).toMatchObject({ a: 7 })
  const stopped = await client.call('iii_worker_stop', { id: made.data['id'] })
  expect(stopped.text).toContain('Worker stopped and cleaned up')
  return data as unknown as WorkerPlace
}

scenario(['program/install'], 'a client is told to start the server the way that it is there', async () => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', app), 'utf8'))
  const checkout = fileURLToPath(new URL('bin/iii-mcp.js', app))
  const read = async (program: string) => {
    const args = ['install', 'cursor', '--print', '--tier', 'ops']
    const { stdout, stderr } = await runToEnd({ name: 'iii-mcp', entry: pathToFileURL(program), args })
    expect(stderr).toMatch(/^this goes into /)
    return JSON.parse(stdout).mcpServers.iii as { command: string; args: string[] }
  }
  const npm = await read(programs.npm)
  expect(npm.args.slice(1)).toEqual(['-y', `@iii/mcp@${version}`, '--tier', 'ops'])
  expect(npm.args[0]).toMatch(/npx-cli\.js$/)
  expect((await read(programs.archive)).args).toEqual([programs.archive, '--tier', 'ops'])
  expect((await read(checkout)).args).toEqual([checkout, '--tier', 'ops'])
  expect(npm.command).toMatch(/^(\/|[A-Z]:).*node/)
})

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { type ArchiveType, packWorkers, type RunningArchive, startArchive, unpackArchive } from '../archives.ts'
import { runToEnd } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { type Engine, openEngine } from '../engine.ts'
import {
  connectToEngine,
  hasFunctions,
  MCP_CLIENT_FUNCTIONS,
  RUNS_FUNCTIONS,
  requestOnce,
  SKILLS_FUNCTIONS,
} from '../facts.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'
import { until } from '../until.ts'

const REGISTERED_CPU_MS = 1000
const STOPPED_MS = 2000
const OUTPUT_CPU_MS = 250
/** A busy machine may spoil one measurement; it does not spoil all of them. */
const ATTEMPTS = 4

/** All that the registry knows: where there is Node, the script runs. */
const PLATFORMS = [
  ...['aarch64-apple-darwin', 'aarch64-pc-windows-msvc', 'aarch64-unknown-linux-gnu', 'armv7-unknown-linux-gnueabihf'],
  ...['i686-pc-windows-msvc', 'x86_64-apple-darwin', 'x86_64-pc-windows-msvc', 'x86_64-unknown-linux-gnu'],
]

const apps = [
  { name: 'skills', app: 'skills-registry', ids: SKILLS_FUNCTIONS },
  { name: 'mcp', app: 'mcp-bridge', ids: ['mcp::handler'] },
  { name: 'runs', app: 'run-records', ids: RUNS_FUNCTIONS },
  { name: 'mcp-client', app: 'mcp-client', ids: MCP_CLIENT_FUNCTIONS },
]
const TRIGGER_TYPES: Readonly<Record<string, readonly string[]>> = {
  skills: ['prompts::on-change', 'skills::on-change'],
  mcp: ['mcp::on-call'],
  runs: [],
  'mcp-client': ['mcp-client::on-call'],
}
const types: readonly ArchiveType[] = ['bundle', 'binary']
const workers = apps.flatMap((app) => types.map((type) => ({ ...app, type })))
/** Folders of the Nodes to try; `pnpm test:nodes` names others. */
const nodes = (inject('nodes') ?? [dirname(process.execPath)]).map((node) => {
  const version = execFileSync(join(node, 'node'), ['--version'], { encoding: 'utf8' })
  return { node, major: version.slice(1).split('.')[0] ?? '' }
})

const cleanup = createCleanup()
let folder: string
let files: string[]

beforeAll(async () => {
  folder = cleanup.use(await createTempFolder()).path
  await packWorkers(join(folder, 'first'))
  files = readdirSync(join(folder, 'first'))
}, 100_000)
afterAll(() => cleanup.run())

function readBuilt(file: string, build = 'first'): Buffer {
  return readFileSync(join(folder, build, file))
}

function nameArchive(name: string, type: ArchiveType): string {
  return files.find((file) => file.startsWith(`${name}-`) && file.endsWith(`-${type}.tar.gz`)) ?? 'none'
}

async function unpack(name: string, type: ArchiveType, to: string): Promise<string> {
  return await unpackArchive(join(folder, 'first', nameArchive(name, type)), join(folder, to))
}

scenario(
  ['archive/same'],
  'building twice gives the same archives and payloads',
  async () => {
    await packWorkers(join(folder, 'second'))
    expect(files).toHaveLength(24)
    expect(readdirSync(join(folder, 'second'))).toEqual(files)
    for (const file of files) expect(readBuilt(file, 'second').equals(readBuilt(file)), file).toBe(true)
  },
  { timeout: 100_000 },
)

scenario(
  ['archive/contents'],
  'an archive holds the script, and a bundle its manifest; the checksum is true',
  async () => {
    for (const { name, app, type } of workers) {
      const home = await unpack(name, type, `contents-${name}-${type}`)
      const held = readdirSync(home, { recursive: true }).sort()
      expect(held).toEqual(type === 'bundle' ? ['bundle', 'bundle/index.mjs', 'iii.worker.yaml'] : [name])
      const script = readFileSync(join(home, type === 'bundle' ? 'bundle/index.mjs' : name), 'utf8')
      expect(script.split('\n', 1)).toEqual(['#!/bin/sh'])
      expect(script).not.toContain(process.cwd())
      const map = readFileSync(new URL(`../../apps/${app}/bundle/index.mjs.map`, import.meta.url), 'utf8')
      expect(JSON.parse(map).sources).toContain('../src/main.ts')
      const archive = nameArchive(name, type)
      const [sum, named] = readBuilt(`${archive}.sha256`).toString().trim().split('  ')
      const digest = await crypto.subtle.digest('SHA-256', readBuilt(archive))
      expect([sum, named]).toEqual([Buffer.from(digest).toString('hex'), archive])
    }
  },
)

/** What the worker of MCP servers has in itself of others: one client, one zod, and no server over HTTP. */
const CARRIED =
  /^(?:@modelcontextprotocol\/sdk|@pinojs\/redact|atomic-sleep|fastest-levenshtein|jsonc-parser|on-exit-leak-free|pino|pino-std-serializers|quick-format-unescaped|safe-stable-stringify|sonic-boom|thread-stream|ws|yaml|zod|zod-to-json-schema)$/

scenario(['archive/light'], 'the worker of MCP servers carries the official client, and little else', async () => {
  const script = readFileSync(join(await unpack('mcp-client', 'binary', 'carried'), 'mcp-client'), 'utf8')
  const [, licences = ''] = script.split('This file contains:')
  const names = [...licences.matchAll(/^(@?[a-z][\w./-]*) \d+\.\d+\.\d+\S*, [\w.-]+$/gm)].map(([, name]) => name ?? '')
  expect(names).toContain('@modelcontextprotocol/sdk')
  expect(names.filter((name) => !CARRIED.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
})

scenario(['archive/manifest'], 'only the published bridge wants the registry worker installed first', async () => {
  const read = async (name: string, app: string) => [
    readFileSync(join(await unpack(name, 'bundle', `manifest-${name}`), 'iii.worker.yaml'), 'utf8'),
    readFileSync(new URL(`../../apps/${app}/iii.worker.yaml`, import.meta.url), 'utf8'),
  ]
  const [published, local] = await read('mcp', 'mcp-bridge')
  expect(published).toMatch(/^dependencies:\n {2}skills: \^\d+\.\d+\.\d+\n/m)
  expect(published).toMatch(/^ {2}start: exec sh bundle\/index\.mjs --no-stdio$/m)
  expect(local).not.toContain('dependencies')
  expect((await read('skills', 'skills-registry')).join()).not.toContain('dependencies')
})

scenario(
  ['archive/payload'],
  'the payloads tell each function with its schemas, and each trigger type with its own',
  () => {
    for (const { name, type, ids } of workers) {
      const archive = nameArchive(name, type)
      const payload = JSON.parse(readBuilt(archive.replace('.tar.gz', '.json')).toString())
      expect(payload).toMatchObject({ worker_name: name, type, license: 'Apache-2.0', config: {} })
      const shown = payload.functions.map((row: { name: string }) => row.name)
      expect(shown).toEqual(expect.arrayContaining(ids))
      expect(shown.filter((id: string) => /instance|[0-9a-f]{8}-|mcp-cancel|holder/.test(id))).toEqual([])
      for (const row of payload.functions) {
        expect([row.name, typeof row.request_schema, typeof row.response_schema]).toEqual([
          row.name,
          'object',
          'object',
        ])
        expect(row.metadata).not.toHaveProperty(['iii.instance'])
      }
      const triggers = payload.triggers.map((row: { name: string }) => row.name)
      expect(triggers).toEqual(TRIGGER_TYPES[name])
      const sum = readBuilt(`${archive}.sha256`).toString().split(' ')[0]
      const places = type === 'bundle' ? [payload] : Object.values<{ sha256: string }>(payload.binaries)
      expect(places.map(({ sha256 }) => sha256)).toEqual(places.map(() => sum))
      if (type === 'binary') expect(Object.keys(payload.binaries).sort()).toEqual(PLATFORMS)
    }
  },
)

for (const { name, type } of workers.filter((row) => row.type === 'binary')) {
  scenario(
    ['archive/anywhere'],
    `the script of ${name} runs as a module and as none, whatever lies above it`,
    async () => {
      const built = join(await unpack(name, type, `plain-${name}`), name)
      for (const kind of ['module', 'commonjs']) {
        const home = join(folder, `${kind}-${name}`)
        await mkdir(home)
        await writeFile(join(home, 'package.json'), JSON.stringify({ type: kind }))
        for (const file of [name, `${name}.mjs`, `${name}.cjs`]) {
          await cp(built, join(home, file))
          for (const { node } of nodes) {
            const script = { name: file, entry: pathToFileURL(join(home, file)), args: ['--version'] }
            const ended = await runToEnd({ ...script, interpreter: join(node, 'node') })
            expect(ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^\d+\.\d+/) })
          }
        }
      }
    },
  )

  scenario(['archive/light'], `the first output of ${name} is cheap`, async () => {
    const script = join(await unpack(name, type, `light-${name}`), name)
    const meter = join(folder, `meter-${name}.cjs`)
    await writeFile(
      meter,
      `process.on('exit', () => { const { user, system } = process.cpuUsage(); console.log(Math.round((user + system) / 1000)) })
       process.argv.splice(1, 1, ${JSON.stringify(script)}); require(process.argv[1])`,
    )
    const measure = async () => {
      const env = { NODE_EXTRA_CA_CERTS: '' }
      const { stdout } = await runToEnd({ name: 'meter', entry: pathToFileURL(meter), args: ['--version'], env })
      return Number(stdout.split('\n')[1])
    }
    const spent: number[] = []
    while (spent.length < ATTEMPTS) spent.push(await measure())
    expect(Math.min(...spent)).toBeLessThanOrEqual(OUTPUT_CPU_MS)
  })
}

for (const { node, major } of nodes) {
  for (const { name, type, ids } of workers) {
    scenario(['archive/runs'], `the ${type} of ${name} runs as the engine runs it, on Node ${major}`, async () => {
      await using engine = await openEngine(undefined)
      await using control = connectToEngine(engine.url, 'test')
      const home = await unpack(name, type, `run-${name}-${type}-${major}`)
      const project = join(folder, `project-${name}-${type}-${major}`)
      await mkdir(project)
      const held = readdirSync(home, { recursive: true })
      const registeredCpuMs: number[] = []
      const stoppedMs: number[] = []

      const runOnce = async () => {
        await using worker = startArchive({ name, type, folder: home, project, engineUrl: engine.url, node })
        const isThere = () => hasFunctions(control, ids)
        await until(isThere, { what: name }).catch((error: Error) => {
          throw new Error(`${error.message}\n${worker.said.join('')}`)
        })
        registeredCpuMs.push(worker.cpuMs())
        await expectAnswer(name, engine)
        const began = performance.now()
        worker.signal('SIGTERM')
        expect(await worker.exited, worker.said.join('')).toEqual({ code: 0, signal: null })
        stoppedMs.push(performance.now() - began)
        expectNothingOnStdout(worker)
        expect(worker.hasProcesses()).toBe(false)
        await until(async () => !(await isThere()), { what: 'nothing to be left on the engine' })
      }
      const isGood = () => Math.min(...registeredCpuMs) <= REGISTERED_CPU_MS && Math.min(...stoppedMs) <= STOPPED_MS
      do await runOnce()
      while (!isGood() && registeredCpuMs.length < ATTEMPTS)

      expect(Math.min(...registeredCpuMs)).toBeLessThanOrEqual(REGISTERED_CPU_MS)
      expect(Math.min(...stoppedMs)).toBeLessThanOrEqual(STOPPED_MS)
      expect([readdirSync(home, { recursive: true }), readdirSync(project)]).toEqual([held, []])
    })
  }
}

/** A function of each that needs nothing. */
const ANSWERS: Readonly<Record<string, string>> = {
  skills: 'skills::list',
  runs: 'runs::list_runs',
  'mcp-client': 'mcp-client::status',
}

async function expectAnswer(name: string, engine: Engine): Promise<void> {
  await using control = connectToEngine(engine.url, 'asker')
  if (name === 'mcp') await until(() => requestOnce(`${engine.httpUrl}/mcp`, 'tools/list'), { what: 'MCP to answer' })
  else {
    const function_id = ANSWERS[name] ?? 'none'
    expect(await control.trigger({ function_id, payload: {} })).toBeTypeOf('object')
  }
}

/** The log goes to stderr, as JSON. */
function expectNothingOnStdout(worker: RunningArchive): void {
  expect(
    worker.said
      .join('')
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{')),
  ).toEqual([])
}

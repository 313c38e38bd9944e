import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import type { Worker } from '@iii/sdk'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { packWorkers } from '../archives.ts'
import { createCleanup } from '../cleanup.ts'
import { ask, connectToEngine, hasFunctions, SKILLS_FUNCTIONS } from '../facts.ts'
import { createTempFolder } from '../stack.ts'
import { until } from '../until.ts'
import { startWorkerRegistry, type WorkerRegistry } from './registry.ts'

/** What the command line waits for by itself. */
const COMMAND_MS = 150_000
const UNTRUSTED = /not trusted/

const cleanup = createCleanup()
let project: string
let env: Record<string, string>
let registry: WorkerRegistry
let control: Worker
let mcpUrl: string

beforeAll(async () => {
  const { iii, iiiWorker } = inject('programs')
  const { path } = cleanup.use(await createTempFolder())
  project = join(path, 'project')
  for (const folder of ['bin', 'home', 'archives', 'project']) await mkdir(join(path, folder))
  await symlink(iii, join(path, 'bin/iii'))
  await symlink(iiiWorker, join(path, 'bin/iii-worker'))
  registry = cleanup.use(await startWorkerRegistry(join(path, 'archives')))
  await packWorkers(join(path, 'archives'), ['--base-url', registry.filesUrl])
  env = {
    PATH: `${join(path, 'bin')}:${process.env['PATH']}`,
    HOME: join(path, 'home'),
    III_API_URL: registry.url,
    III_TELEMETRY_ENABLED: 'false',
  }
  const [bus, http] = [await findPort(), await findPort()]
  await writeFile(join(project, 'config.yaml'), formatConfig(bus, http))
  mcpUrl = `http://127.0.0.1:${http}/mcp`
  cleanup.use(startEngine(join(path, 'engine.log')))
  control = connectToEngine(`ws://127.0.0.1:${bus}`, 'probe')
  cleanup.use({ [Symbol.asyncDispose]: () => control.shutdown() })
  await control.ready({ timeoutMs: 60_000 })
}, 240_000)
afterAll(() => cleanup.run())

function formatConfig(bus: number, http: number): string {
  const rows = [
    `iii-worker-manager\n    config: { host: 127.0.0.1, port: ${bus} }`,
    `iii-http\n    config: { host: 127.0.0.1, port: ${http} }`,
    'iii-state\n    config: { adapter: { name: kv, config: { store_method: in_memory } } }',
    'iii-pubsub',
  ]
  return `workers:\n${rows.map((row) => `  - name: ${row}\n`).join('')}`
}

function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

function startEngine(log: string): AsyncDisposable {
  const output = openSync(log, 'w')
  const stdio: StdioOptions = ['ignore', output, output]
  const engine = spawn(inject('programs').iii, ['--no-update-check'], { cwd: project, env, stdio })
  closeSync(output)
  return { [Symbol.asyncDispose]: () => stop(engine) }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await gone
}

/** Runs `iii worker …` in the project. */
async function worker(...words: string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(inject('programs').iii, ['worker', ...words], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => said.push(String(text)))
  const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_MS)
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  clearTimeout(timer)
  return { code, said: said.join('') }
}

async function expectDone(...words: string[]): Promise<string> {
  const { code, said } = await worker(...words)
  expect(code, `iii worker ${words.join(' ')}\n${said}`).toBe(0)
  return said
}

const isServing = async () =>
  (await hasFunctions(control, SKILLS_FUNCTIONS)) && (await ask(mcpUrl, 'ping')) !== undefined

async function expectCall(): Promise<void> {
  const called = () => ask(mcpUrl, 'tools/call', { name: 'probe__echo', arguments: { word: 'there' } })
  const result = await until(called, { what: 'the tool to be called' })
  expect(JSON.stringify(result)).toContain('there')
}

it('adds both workers to a fresh project, calls through them, stops, starts and removes them', async () => {
  control.registerFunction('probe::echo', (payload) => payload, { metadata: { mcp: { expose: true } } })
  const added = await worker('add', 'mcp')
  expect(registry.requests).toContain('POST /resolve')
  if (added.code !== 0) {
    expect(added.said).toMatch(UNTRUSTED)
    registry.forgetGraphs()
    await expectDone('add', 'skills')
    await expectDone('add', 'mcp')
  }
  const config = () => readFileSync(join(project, 'config.yaml'), 'utf8')
  expect(config()).toMatch(/name: skills[\s\S]*name: mcp|name: mcp[\s\S]*name: skills/)
  await until(isServing, { what: 'both workers to serve' })
  await expectCall()

  await expectDone('stop', 'mcp')
  await until(async () => !(await hasFunctions(control, ['mcp::handler'])), { what: 'mcp to be gone' })
  await expectDone('start', 'mcp')
  await until(isServing, { what: 'mcp to serve again' })
  await expectCall()

  await expectDone('remove', '--yes', 'mcp', 'skills')
  await until(async () => !(await hasFunctions(control, ['mcp::handler'])), { what: 'mcp to be removed' })
  await until(async () => !(await hasFunctions(control, ['skills::list'])), { what: 'skills to be removed' })
  expect(config()).not.toMatch(/name: (mcp|skills)\b/)
  const pids = join(env['HOME'] ?? '', '.iii/pids')
  expect(existsSync(pids) ? readdirSync(pids).filter((file) => /^(mcp|skills)\./.test(file)) : []).toEqual([])
}, 600_000)

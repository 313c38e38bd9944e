import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { type EntryFields, readPids } from '../mcp-servers/fixture.ts'
import { expectGone, expectNothingLeft, type ServerStageOptions, startServerStage } from '../mcp-servers/stage.ts'
import { mcpClientProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

/** Servers, their worker and their engine come and go. */
const cleanup = createCleanup()
let stack: Stack

beforeAll(async () => {
  stack = cleanup.use(await startStack({ workers: [] }))
})
afterAll(() => cleanup.run())

const startStage = (servers: ServerStageOptions['servers']) =>
  startServerStage({ engineUrl: stack.engineUrl, control: stack.worker, servers })

scenario(['mcp-client/processes'], 'when the worker is killed, no process of a server is left after 3 s', async () => {
  await using stage = await startStage((entry) => ({
    parent: entry('grandchild'),
    stubborn: entry('stubborn'),
    mute: entry('silent', {}, { timeouts: { start_ms: 60_000 } }),
  }))
  await stage.reaches('parent', 'ready')
  await stage.reaches('stubborn', 'ready')
  await until(() => stage.journal().filter(({ what }) => what === 'start').length === 4, { what: 'all servers' })
  const pids = readPids(stage.folder)
  expect(pids.length).toBeGreaterThanOrEqual(6)
  stage.child.signal('SIGKILL')
  await stage.child.exited
  await expectGone(pids)
})

scenario(['mcp-client/processes'], 'a worker that is stopped ends within 2 s, whatever its servers do', async () => {
  await using stage = await startStage((entry) => ({
    stubborn: entry('stubborn', {}, { timeouts: { stop_ms: 2000 } }),
    mute: entry('silent', {}, { timeouts: { start_ms: 60_000, stop_ms: 2000 } }),
  }))
  await stage.reaches('stubborn', 'ready')
  const began = performance.now()
  await expectNothingLeft(stage)
  expect(performance.now() - began).toBeLessThan(2000 + 3000)
})

scenario(
  ['mcp-client/stable'],
  'ids are the same after servers have come, changed places and started anew',
  async () => {
    await using stage = await startStage((entry) => ({ one: entry('honest'), odd: entry('odd_names') }))
    await stage.reaches('one', 'ready')
    await stage.reaches('odd', 'ready')
    const all = async () => [...(await stage.functionsOf('one')), ...(await stage.functionsOf('odd'))]
    const before = await all()
    expect(before.length).toBeGreaterThan(10)
    const text = JSON.parse(await readFile(stage.config, 'utf8')) as { servers: Record<string, EntryFields> }
    const { one, odd } = text.servers
    await stage.write({ odd: odd ?? {}, zero: one ?? {}, one: one ?? {} })
    await stage.reaches('zero', 'ready')
    expect(await all()).toEqual(before)
    const { pid } = await stage.status('one')
    await stage.call('mcp-client::restart', { server: 'one' })
    await until(async () => (await stage.reaches('one', 'ready')).pid !== pid, { what: 'another process' })
    await until(async () => (await all()).length === before.length, { what: 'all functions' })
    expect(await all()).toEqual(before)
  },
)

scenario(
  ['mcp-client/live'],
  'a change of the file is about the servers that it names, and open calls end',
  async () => {
    await using stage = await startStage((entry) => ({ limited: entry('honest'), moved: entry('honest', { a: 1 }) }))
    const pids = async () => {
      const seen = await Promise.all(['calm', 'limited', 'moved'].map((name) => stage.reaches(name, 'ready')))
      return seen.map(({ pid }) => pid)
    }
    const before = await pids()
    const open = stage.call('calm::wait', { ms: 1000 })
    const { servers } = JSON.parse(await readFile(stage.config, 'utf8')) as {
      servers: Record<string, { args: string[] }>
    }
    await stage.write({
      limited: { ...servers['limited'], tools: { deny: ['wait'] } },
      moved: { ...servers['moved'], args: servers['moved']?.args.map((word) => word.replace('a=1', 'a=2')) },
    })
    await until(async () => !(await stage.functionsOf('limited')).includes('limited::wait'), {
      what: 'the tool to be gone',
    })
    await until(async () => (await pids())[2] !== before[2], { what: 'the changed server to start anew' })
    expect((await pids()).slice(0, 2)).toEqual(before.slice(0, 2))
    expect(JSON.stringify(await open)).toContain('after 1000 ms')

    // What nobody can read changes nothing.
    const now = await pids()
    await writeFile(stage.config, 'servers: [\n')
    await until(() => stage.child.stderr.some((line) => line.includes('servers.yaml')), { what: 'a complaint' })
    expect(await pids()).toEqual(now)
  },
)

scenario(
  ['mcp-client/restart'],
  'a restart of the engine leaves servers as they are, with their functions',
  async () => {
    await using stage = await startStage((entry) => ({ one: entry('honest') }))
    const { pid } = await stage.reaches('one', 'ready')
    const ids = await stage.functionsOf('one')
    await stack.stop('engine')
    await stack.startEngine()
    await until(() => hasFunctions(stack.worker, ids), { what: 'the functions to be there again' })
    expect((await stage.reaches('one', 'ready')).pid).toBe(pid)
    expect(JSON.stringify(await stage.call('one::echo', { text: 'same' }))).toContain('same')
    expect(stage.journal().filter(({ what }) => what === 'start')).toHaveLength(2)
  },
)

scenario(
  ['mcp-client/twin'],
  'of two workers the earlier one runs the servers, and the other one when it is gone',
  async () => {
    await using stage = await startStage((entry) => ({ one: entry('honest') }))
    const { pid } = await stage.reaches('one', 'ready')
    const program = mcpClientProgram(stack.engineUrl, ['--config', stage.config])
    await using twin = startChild({ ...program, cwd: stage.folder })
    await twin.line(/takes nothing from it/)
    expect((await stage.reaches('one', 'ready')).pid).toBe(pid)
    expect(stage.journal().filter(({ what }) => what === 'start')).toHaveLength(2)
    await stage.child.stop()
    await until(async () => (await stage.status('one')).pid !== pid, { what: 'the other worker to serve' })
    await stage.reaches('one', 'ready')
    await until(async () => JSON.stringify(await stage.call('one::echo', { text: 'next' })).includes('next'), {
      what: 'its functions',
    })
    expect(await twin.stop()).toEqual({ code: 0, signal: null })
    await expectGone(readPids(stage.folder))
  },
)

const MANY = 31

scenario(['mcp-client/parallel'], '32 servers start in parallel, and one that hangs delays none of them', async () => {
  const began = performance.now()
  await using stage = await startStage((entry) => ({
    mute: entry('silent', {}, { timeouts: { start_ms: 60_000 } }),
    ...Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`s${at}`, entry('honest')])),
  }))
  for (let at = 0; at < MANY; at += 1) await stage.reaches(`s${at}`, 'ready')
  expect((await stage.status('mute')).state).toBe('connecting')
  expect(performance.now() - began).toBeLessThan(60_000)
  await expectNothingLeft(stage)
})

import { fileURLToPath } from 'node:url'
import { type SeenFrame, startMockEngine } from '@iii/mock-engine'
import { afterAll, expect } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { connectClient } from '../clients.ts'
import { connectToEngine, hasFunctions, RUNS_FUNCTIONS, requestOnce } from '../facts.ts'
import { bridgeProgram, runsProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { until } from '../until.ts'

const JOBS = fileURLToPath(new URL('../sample-worker/runs.yaml', import.meta.url))
const cleanup = createCleanup()
afterAll(() => cleanup.run())

const HOSTILE = ['__proto__', '../../etc/passwd', 'e2e-shop::buy', '01ARZ3NDEKTSV4RRFFQ69G5FAV']
const ARGUMENTS = ['task', 'job', 'prefix', 'cursor', 'run_id', 'against', 'since']
/** What a look may call: built-in functions that only tell, and the bridge of the client that looks. */
const LOOKS =
  /^(?:engine::(?:functions|workers|triggers|registered-triggers)::(?:list|info)|state::get|configuration::get|mcp::[^:]+::visible|runs::\w+)$/

/** What the watch over registrations asks again and again: whether another process has one of them. */
const WATCH = 'engine::functions::info'
/** It asks every five seconds; anything else that is done again and again is done more often, or so seldom that it costs nothing. */
const QUIET_MS = 4_000

scenario(['runs/idle'], 'a worker that nobody asks makes no call but those of its ownership watch', async () => {
  const engine = await startMockEngine()
  cleanup.use({ [Symbol.asyncDispose]: () => engine.close() })
  const seen: { at: number; type: unknown; called: unknown }[] = []
  engine.onFrame(({ direction, frame: { type, function_id: called } }) => {
    if (direction === 'in' && !/^p[io]ng$/.test(String(type))) seen.push({ at: performance.now(), type, called })
  })
  cleanup.use(startChild(runsProgram(engine.url, ['--config', JOBS, '--allow-run'])))
  const isIdle = () => {
    const [before, last] = seen.slice(-2)
    return before !== undefined && last !== undefined && last.at - before.at > QUIET_MS
  }
  await until(isIdle, { what: 'a pause between two calls', deadlineMs: 20_000 })
  const asks = { type: 'invokefunction', called: WATCH }
  expect(seen.slice(-2)).toMatchObject([asks, asks])
})

scenario(
  ['runs/inert'],
  'every tool about runs, asked for anything, calls no function of a worker and writes nothing',
  async () => {
    const engine = await startMockEngine()
    cleanup.use({ [Symbol.asyncDispose]: () => engine.close() })
    const shop = cleanup.use(connectToEngine(engine.url, 'shop'))
    const bought: unknown[] = []
    shop.registerFunction('e2e-shop::buy', () => bought.push('something'), { metadata: { 'runs.job': true } })
    const runs = cleanup.use(startChild(runsProgram(engine.url, ['--config', JOBS, '--allow-run'])))
    const bridge = cleanup.use(startChild(bridgeProgram(engine.url)))
    const mcpUrl = `${engine.httpUrl}/mcp`
    await until(async () => hasFunctions(shop, RUNS_FUNCTIONS), { what: 'the worker of runs' })
    await until(async () => (await requestOnce(mcpUrl, 'ping')) !== undefined, { what: 'the bridge' })
    await using client = await connectClient('sdk 1.x', mcpUrl)
    const listed = async () =>
      (await client.listTools()).filter(({ name }) => name.startsWith('runs__') && name !== 'runs__run_job')
    await until(async () => (await listed()).length === 8, { what: 'the tools about runs to be listed' })
    const tools = await listed()

    const frames: SeenFrame[] = []
    const stop = engine.onFrame((frame) => void frames.push(frame))
    for (const { name } of tools) {
      const hostile = HOSTILE.flatMap((text) => ARGUMENTS.map((key) => ({ [key]: text })))
      const requests = [{}, { task: 'e2e-shop::buy', input: { [HOSTILE[0] ?? '']: 1 } }, { mine: true }, ...hostile]
      await Promise.all(requests.map((request) => client.callTool(name, request).catch(() => undefined)))
    }
    stop()
    expect(bought).toEqual([])
    const calls = frames.filter(({ direction, frame }) => direction === 'in' && frame['type'] === 'invokefunction')
    const workerOfRuns = new Set(
      calls.filter(({ frame }) => /::visible$/.test(String(frame['function_id']))).map(({ workerId }) => workerId),
    )
    expect(workerOfRuns.size).toBe(1)
    const called = calls
      .filter(({ workerId }) => workerOfRuns.has(workerId))
      .map(({ frame }) => String(frame['function_id']))
    expect(called.length).toBeGreaterThan(100)
    expect([...new Set(called)].filter((id) => !LOOKS.test(id))).toEqual([])
    expect([bridge.running, runs.running]).toEqual([true, true])
  },
)

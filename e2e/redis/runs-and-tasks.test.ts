import { setTimeout as pause } from 'node:timers/promises'
import { registerMcpFunction } from '@iii/sdk'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { contenderProgram } from '../programs.ts'
import { postStateless } from '../raw-client.ts'
import { until } from '../until.ts'
import { type RedisSide, type RedisStage, startRedisStage } from './stage.ts'

const FROZEN_MS = 3_000
const WITHIN = { deadlineMs: 30_000 }
const CONTENDERS = 6
const TRIES = 20
const CAPABLE = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

const cleanup = createCleanup()
let stage: RedisStage
let one: RedisSide
let two: RedisSide
/** Ends the steps that run at the moment, on whichever engine. */
const waiting: (() => void)[] = []
let inside = 0
let mostInside = 0

beforeAll(async () => {
  const programs = inject('redis')
  if (programs === undefined) throw new Error('run it with pnpm test:redis')
  stage = cleanup.use(await startRedisStage(programs))
  ;[one, two] = stage.sides
  for (const { worker } of stage.sides) {
    worker.registerFunction('e2e-shared::step', step)
    registerMcpFunction(worker, 'jobs::shared', step, { mcp: { task: 'optional' } })
    await until(() => hasFunctions(worker, ['jobs::shared']), { what: 'the functions to be there' })
  }
}, 120_000)
afterAll(() => cleanup.run())

async function step(): Promise<string> {
  inside++
  mostInside = Math.max(mostInside, inside)
  await new Promise<void>((resolve) => waiting.push(resolve))
  inside--
  return 'done'
}

const finishAll = () => {
  for (const finish of waiting.splice(0)) finish()
}

type Body = Readonly<Record<string, unknown>>

async function ask({ mcpUrl }: RedisSide, method: string, params: Record<string, unknown>): Promise<Body> {
  const message = (await postStateless(mcpUrl, method, params, CAPABLE).over).at(-1)
  return message?.result ?? { error: message?.error }
}

/** @returns the id of a task whose function runs */
async function beginTask(side: RedisSide): Promise<string> {
  const before = waiting.length
  const { taskId } = await ask(side, 'tools/call', { name: 'jobs__shared' })
  await until(() => waiting.length > before, { what: 'the task to run' })
  return String(taskId)
}

const taskIs = (side: RedisSide, taskId: string, status: string) =>
  until(
    async () => {
      const task = await ask(side, 'tasks/get', { taskId })
      if (task['status'] === status) return task
      throw new Error(JSON.stringify(task))
    },
    { what: `${taskId} to be ${status}`, ...WITHIN },
  )

const startRun = ({ worker }: RedisSide, wait_ms = 0) =>
  worker.trigger<{ id: string; status: string }>({
    function_id: 'runs::run_job',
    payload: { job: 'e2e-shared', wait_ms },
    timeoutMs: 40_000,
  })

async function readStatus({ worker }: RedisSide, run_id: string): Promise<string | undefined> {
  const request = { function_id: 'runs::read_run', payload: { run_id } }
  return (await worker.trigger<{ record: { status?: string } }>(request)).record.status
}

const runIs = (side: RedisSide, id: string, status: string) =>
  until(
    async () => {
      const seen = await readStatus(side, id)
      if (seen === status) return true
      throw new Error(seen)
    },
    { what: `${id} to be ${status}`, ...WITHIN },
  )

it('a task that was begun on one engine is followed and ends, for who asks on the other', async () => {
  for (const [begun, asked] of [
    [one, two],
    [two, one],
  ] as const) {
    const taskId = await beginTask(begun)
    await taskIs(asked, taskId, 'working')
    finishAll()
    expect(await taskIs(asked, taskId, 'completed')).toMatchObject({
      result: { content: [{ type: 'text', text: 'done' }] },
    })
  }
})

it('a run on one engine has its record on the other, while it runs and afterwards', async () => {
  const { id } = await startRun(one)
  await runIs(two, id, 'running')
  await until(() => waiting.length > 0, { what: 'the step to run' })
  finishAll()
  await runIs(two, id, 'passed')
})

it('a job that runs on one engine is refused on the other, by name of the run that has the lock', async () => {
  const { id } = await startRun(one)
  await until(() => waiting.length > 0, { what: 'the step to run' })
  await expect(startRun(two)).rejects.toThrow(id)
  finishAll()
  await runIs(two, id, 'passed')
  mostInside = 0
  const second = await startRun(two)
  await until(() => waiting.length > 0, { what: 'the step to run' })
  finishAll()
  await runIs(one, second.id, 'passed')
  expect(mostInside).toBe(1)
})

it('processes on both engines never hold a lock together', async () => {
  const contenders = Array.from({ length: CONTENDERS }, (_, at) => {
    const { engineUrl } = at % 2 === 0 ? one : two
    return cleanup.use(startChild(contenderProgram(engineUrl, { mode: 'try', lock: 'e2e-redis', rounds: TRIES })))
  })
  const told = await Promise.all(contenders.map((child) => child.line(/^\{.*\}$/, 60_000)))
  const results = told.map(([line]) => JSON.parse(line) as { taken: number; most: number })
  expect(Math.max(...results.map(({ most }) => most))).toBe(1)
  expect(results.reduce((sum, { taken }) => sum + taken, 0)).toBeGreaterThanOrEqual(1)
})

it('tasks and runs that are under way while Redis is frozen or restarted end as if nothing had been', async () => {
  const taskId = await beginTask(one)
  const { id } = await startRun(two)
  await until(() => waiting.length > 1, { what: 'both to run' })
  stage.redis.signal('SIGSTOP')
  await pause(FROZEN_MS)
  stage.redis.signal('SIGCONT')
  await taskIs(two, taskId, 'working')
  await stage.redis.restart()
  finishAll()
  await taskIs(two, taskId, 'completed')
  await runIs(one, id, 'passed')
})

it('after Redis was emptied nobody is told that a lost task or run is there, and new ones run on both engines', async () => {
  const taskId = await beginTask(one)
  await stage.redis.empty()
  finishAll()
  const gone = await ask(two, 'tasks/get', { taskId })
  expect(gone['status'] ?? 'none').toMatch(/none|completed|failed/)
  for (const [begun, asked] of [
    [one, two],
    [two, one],
  ] as const) {
    const next = await beginTask(begun)
    const { id } = await startRun(begun)
    await until(() => waiting.length > 1, { what: 'both to run' })
    finishAll()
    await taskIs(asked, next, 'completed')
    await runIs(asked, id, 'passed')
  }
})

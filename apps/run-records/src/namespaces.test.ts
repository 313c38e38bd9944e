import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { createCallRecorder } from './calls/call-log.ts'
import { ownFunctionOf } from './record/call-record.ts'
import { DEFAULTS, type RunProcess, startRunProcess } from './testing/run-stage.ts'

const log = createLog({ name: 'test', level: 'silent' })
const JOBS = { count: { targets: ['shop::count'] } }

/** A function of the same id in each namespace, and a process that runs jobs. */
async function reside(url: string, namespace?: string): Promise<{ shop: Worker; runs: RunProcess }> {
  const shop = registerWorker(url, { name: 'shop', namespace, log })
  shop.registerFunction('shop::count', () => `in ${namespace ?? 'default'}`)
  await shop.ready({ timeoutMs: 5_000 })
  return { shop, runs: await startRunProcess(url, JOBS, namespace === undefined ? {} : { namespace }) }
}

const outputOf = async (runs: RunProcess) => {
  const { tasks } = await runs.run('count')
  return tasks[0]?.output
}

it('tasks are functions of the namespace of their worker, which shares no records with one elsewhere', async () => {
  await using engine = await startMockEngine({ engine: '0.23' })
  const here = await reside(engine.url)
  const there = await reside(engine.url, 'orders')
  expect([await outputOf(here.runs), await outputOf(there.runs)]).toMatchObject([
    { value: 'in default' },
    { value: 'in orders' },
  ])
  for (const { runs } of [here, there]) {
    expect((await runs.store.list({ kind: 'run', limit: 10 })).entries).toHaveLength(1)
  }
  const rows = async (scope: string) => (await engine.call('state::list', { scope })) as unknown[]
  expect((await rows('runs-index')).length).toBe((await rows('runs-index@orders')).length)
  expect(await engine.call('state::get', { scope: 'runs-locks@orders', key: 'default' })).toBeDefined()
  for (const { runs, shop } of [here, there]) {
    await runs[Symbol.asyncDispose]()
    await shop.shutdown()
  }
})

it('a job of another namespace is one that nobody has', async () => {
  await using engine = await startMockEngine({ engine: '0.23' })
  await using shop = registerWorker(engine.url, { name: 'shop', log })
  shop.registerFunction('shop::count', () => 1)
  await shop.ready({ timeoutMs: 5_000 })
  await using runs = await startRunProcess(engine.url, JOBS, { namespace: 'orders' })
  expect(await runs.refusal('count')).toContain('shop::count')
})

it('a call of a function elsewhere says so, and is none of a task with the same id', async () => {
  await using engine = await startMockEngine({ engine: '0.23' })
  await using runs = await startRunProcess(engine.url, JOBS, { namespace: 'orders' })
  const calls = createCallRecorder({ store: runs.store, options: () => DEFAULTS, namespace: 'orders', log })
  const call = {
    version: 1,
    kind: 'tool',
    tool: 't',
    function_id: 'shop::count',
    outcome: 'ok',
    bytes_in: 2,
    bytes_out: 3,
  }
  const when = { started_at: '2026-01-01T00:00:00.000Z', ms: 5 }
  calls.hear({
    calls: [
      { ...call, ...when, call_id: 'ours', namespace: 'orders' },
      { ...call, ...when, call_id: 'of-default' },
    ],
  })
  await calls.close()
  const { entries } = await runs.store.list({ kind: 'call', limit: 10 })
  const told = entries.flatMap((entry) =>
    entry.kind === 'call' ? [[entry.id, entry.namespace, ownFunctionOf(entry)]] : [],
  )
  expect(told).toEqual([
    ['of-default', 'default', undefined],
    ['ours', undefined, 'shop::count'],
  ])
})

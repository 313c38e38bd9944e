import { startMockEngine } from '@iii/mock-engine'
import { STATE_SCOPES } from '@iii/protocol'
import { expect, test } from 'vitest'
import type { RunRow } from '../record/run-record.ts'
import { startRunProcess } from '../testing/run-stage.ts'
import { writeRecord } from '../testing/written-record.ts'
import { createOrphanedRuns } from './orphaned-runs.ts'

const KEEP = { runs: 500, calls: 500, days: 36_500, bytes: 1e9 }
const QUICK = { lookEveryMs: 5, deadAfterMs: 50 }

/** A run whose process was killed: its record says `running`, its lock is taken, and no function is left of it. */
async function startAbandoned() {
  const engine = await startMockEngine()
  const runs = await startRunProcess(engine.url, {}, { timings: QUICK })
  const { id, holder } = await writeRecord(runs.store, { status: 'running', tasks: [], task_count: 2 })
  const value = { c1: [{ token: 't', holder, run: id, since: '2026-01-01T00:00:00.000Z' }], b1: 1 }
  await engine.call('state::set', { scope: STATE_SCOPES.runs.locks, key: 'default', value })
  return {
    ...runs,
    engine,
    id,
    /** As the list has it. */
    listed: async () => (await runs.store.list({ kind: 'run', limit: 1 })).entries,
    /** Writes down what its process did before. */
    async write(change: Partial<RunRow>) {
      const row = await runs.store.runs.readRow(id)
      if (row === undefined) throw new Error('no row')
      const cache = { decision: 'disabled' as const, reason: 'none' }
      const task = { id: 'shop::count', status: 'passed' as const, cache, needs: {}, definition_fingerprint: 'f' }
      await runs.store.runs.writeTask(id, 0, { task })
      await runs.store.runs.write({ ...row, ...change })
    },
    readStatus: async () => (await runs.store.read(id))?.record.status,
    async [Symbol.asyncDispose]() {
      await runs[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}

test('what collects old records ends that of a run whose process was killed, and its lock', async () => {
  await using stage = await startAbandoned()
  expect(await stage.runner.collect()).toEqual({ runs: 0, calls: 0, ended: 1 })
  expect(await stage.readStatus()).toBe('unknown')
  expect(await stage.locks.look('default')).toBeUndefined()
})

test('who frees the lock of a run by hand ends its record, too', async () => {
  await using stage = await startAbandoned()
  await stage.runner.settle(stage.id)
  expect(await stage.readStatus()).toBe('running')
  await stage.locks.unlock('default')
  await stage.runner.settle(stage.id)
  expect(await stage.readStatus()).toBe('unknown')
})

test('of a run that goes on no results are read', async () => {
  await using stage = await startAbandoned()
  await stage.write({})
  stage.worker.registerFunction('runs::holder-gone', () => ({}))
  await stage.worker.ready()
  const read = new Set<unknown>()
  const stop = stage.engine.onFrame(({ frame: { function_id: id, data } }) => {
    if (id === 'state::get') read.add((data as { key?: string } | undefined)?.key)
  })
  await stage.runner.collect()
  stop()
  expect(read).toContain(stage.id)
  expect(read).not.toContain(`${stage.id}/0`)
  expect(await stage.readStatus()).toBe('running')
})

test('a run that has lost its lock goes on as long as its process runs it', async () => {
  await using stage = await startAbandoned()
  const running = [stage.id]
  const asked: unknown[] = []
  stage.worker.registerFunction('runs::holder-gone', (request) => {
    asked.push(request)
    return { running }
  })
  await stage.worker.ready()
  await stage.locks.unlock('default')
  await stage.runner.collect()
  expect([asked, await stage.readStatus()]).toEqual([[{}], 'running'])
  running.pop()
  await stage.runner.collect()
  expect((await stage.store.read(stage.id))?.record).toMatchObject({ status: 'unknown', error: { code: 'lock_lost' } })
})

test('the list tells which tasks of a run that was killed had ended', async () => {
  await using stage = await startAbandoned()
  await stage.write({})
  await stage.runner.collect()
  const tasks = [{ id: 'shop::count', status: 'passed' }]
  expect(await stage.listed()).toMatchObject([{ status: 'unknown', exit_code: 1, tasks, bytes: expect.any(Number) }])
})

test('a run that ends while old records are collected is in the list as its process writes it', async () => {
  await using stage = await startAbandoned()
  await stage.write({ status: 'passed', exit_code: 0 })
  await stage.runner.collect()
  expect(await stage.listed()).toMatchObject([{ status: 'passed', tasks: [{ id: 'shop::count' }] }])
})

test('a process that ends its run and is gone in the same moment was not killed', async () => {
  await using stage = await startAbandoned()
  const locks: typeof stage.locks = {
    ...stage.locks,
    async isThere(holder) {
      await stage.write({ status: 'passed', exit_code: 0 })
      await stage.locks.unlock('default')
      return await stage.locks.isThere(holder)
    },
  }
  await stage.store.collect(KEEP, createOrphanedRuns(stage.worker, stage.store, locks).watchSummary)
  expect(await stage.readStatus()).toBe('passed')
})

import { startMockEngine } from '@iii/mock-engine'
import { STATE_SCOPES } from '@iii/protocol'
import { expect, test } from 'vitest'
import { startRunProcess } from '../testing/run-stage.ts'
import { writeRecord } from '../testing/written-record.ts'

const QUICK = { lookEveryMs: 5, deadAfterMs: 50 }

/** A run whose process was killed: its record says `running`, its lock is taken, and no function is left of it. */
async function startAbandoned() {
  const engine = await startMockEngine()
  const runs = await startRunProcess(engine.url, {}, { timings: QUICK })
  const { id, holder } = await writeRecord(runs.store, { status: 'running', tasks: [] })
  const value = { c1: [{ token: 't', holder, run: id, since: 'then' }], b1: 1 }
  await engine.call('state::set', { scope: STATE_SCOPES.runs.locks, key: 'default', value })
  return {
    ...runs,
    id,
    readStatus: async () => (await runs.store.read(id))?.record.status,
    async [Symbol.asyncDispose]() {
      await runs[Symbol.asyncDispose]()
      await engine.close()
    },
  }
}

test('what collects old records ends that of a run whose process was killed, and its lock', async () => {
  await using stage = await startAbandoned()
  await stage.runner.collect()
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

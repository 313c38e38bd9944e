import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunRecord } from '../record/run-record.ts'
import { type InspectionStage, startInspection } from '../testing/inspection-stage.ts'

let stage: InspectionStage

beforeEach(async () => {
  stage = await startInspection({ serves: 'orders::collect' })
})
afterEach(() => stage[Symbol.asyncDispose]())

describe('diff_inputs', () => {
  const record = (day: number, more: Partial<RunRecord['tasks'][number]> = {}) =>
    stage.record({
      status: more.status ?? 'passed',
      tasks: [
        {
          id: 'orders::collect',
          input: { value: { day, password: '<secret>' }, digest: `in${day}`, redacted: ['/password'] },
          output: { digest: 'out' },
          needs: { 'orders::list': `n${day}` },
          definition_fingerprint: `f${day > 2 ? 1 : 0}`,
          ...more,
        },
      ],
    })

  it('compares the last run with the last that passed before it', async () => {
    const task = 'orders::collect'
    expect(await stage.ask('diff_inputs', { task })).toEqual({
      task,
      baseline_missing: true,
      reason: 'no record of a run of this task is kept',
    })
    const first = await record(1)
    expect(await stage.ask('diff_inputs', { task })).toMatchObject({
      baseline_missing: true,
      reason: `no run in which it passed is kept before ${first.id}`,
    })
    await record(2, { status: 'failed' })
    const last = await record(3, { status: 'failed' })
    expect(await stage.ask('diff_inputs', { task })).toEqual({
      task,
      baseline: { run_id: first.id, finished_at: first.finished_at, status: 'passed' },
      compared: { run_id: last.id, finished_at: last.finished_at, status: 'failed' },
      added: [],
      removed: [],
      changed: ['/day'],
      definition_changed: true,
      dependencies_changed: ['orders::list'],
      same_result: true,
    })
    expect(await stage.ask('diff_inputs', { task, run_id: first.id, against: last.id })).toMatchObject({
      baseline: { run_id: last.id },
      compared: { run_id: first.id },
    })
    expect(await stage.fault('diff_inputs', { task: 'orders::chart', run_id: first.id })).toMatchObject({
      code: 'not_found',
    })
  })

  it('names what is secret when only that differs, and never says whether a guess is right', async () => {
    await record(1)
    await record(1, { input: { value: { day: 1, password: '<secret>' }, digest: 'other', redacted: ['/password'] } })
    expect(await stage.ask('diff_inputs', { task: 'orders::collect' })).toMatchObject({ changed: ['/password'] })
    const guess = (password: string) =>
      stage.ask('diff_inputs', { task: 'orders::collect', input: { day: 2, password, hour: 3 } })
    expect(await guess('right')).toMatchObject({ added: ['/hour'], changed: ['/day'], not_compared: ['/password'] })
    expect(await guess('wrong')).toEqual(await guess('right'))
  })

  it('compares runs in which it began', async () => {
    const task = 'orders::collect'
    const [first, last] = [await record(1), await record(2)]
    const cache = { decision: 'disabled' as const, reason: 'not started: orders::list failed' }
    const times = { started_at: undefined, finished_at: undefined, duration_ms: undefined }
    const { id } = await record(3, { status: 'skipped', input: undefined, needs: {}, cache, ...times })
    expect(await stage.ask('diff_inputs', { task })).toMatchObject({
      baseline: { run_id: first.id },
      compared: { run_id: last.id },
    })
    for (const request of [{ run_id: id }, { against: id }]) {
      expect(await stage.fault('diff_inputs', { task, ...request })).toMatchObject({
        code: 'not_found',
        message: `The run ${id} has nothing of ${task} to compare: not started: orders::list failed`,
      })
    }
  })
})

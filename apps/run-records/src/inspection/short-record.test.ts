import { describe, expect, it } from 'vitest'
import { RunJobResponse } from '../contracts/run-job.ts'
import type { RunRecord, TaskRecord } from '../record/run-record.ts'
import { isFitting, MAX_RESULT_BYTES } from './result-limit.ts'
import { toRunAnswer } from './short-record.ts'

const at = '2026-11-22T06:00:00Z'
const cache = { decision: 'disabled', reason: 'none' } as const

function createRecord(tasks: readonly (Partial<TaskRecord> & { id: string })[], input: unknown = {}): RunRecord {
  const common = { status: 'passed' as const, cache, needs: {}, definition_fingerprint: 'f' }
  return {
    schema_version: 1,
    id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    job: 'nightly',
    via: 'mcp',
    holder: 'runs::holder-x',
    lock: { name: 'default', generation: 1 },
    status: 'passed',
    exit_code: 0,
    started_at: at,
    force: false,
    input: { value: input, digest: 'd' },
    tasks: tasks.map((task) => ({ ...common, ...task })),
  }
}

describe('the answer to who has run a job', () => {
  it('is the record while that can be sent', () => {
    const record = createRecord([{ id: 'a::b', output: { value: 'x'.repeat(100_000) } }])
    expect(toRunAnswer(record, MAX_RESULT_BYTES)).toBe(record)
  })

  it('keeps what became of each task, and leaves out the largest values', () => {
    const output = (bytes: number) => ({ output: { value: 'x'.repeat(bytes), digest: `d${bytes}`, bytes } })
    const tasks = [
      { id: 'a::small', ...output(10) },
      { id: 'a::large', ...output(300_000) },
      { id: 'a::larger', ...output(400_000) },
    ]
    const answer = toRunAnswer(createRecord(tasks, { text: 'x'.repeat(350_000) }), MAX_RESULT_BYTES)
    expect(isFitting(answer, MAX_RESULT_BYTES)).toBe(true)
    expect(RunJobResponse.safeParse(answer).success).toBe(true)
    expect(answer).toMatchObject({ status: 'passed', exit_code: 0, left_out: 2 })
    expect(answer.input).toEqual({ digest: 'd', omitted: 'too_large' })
    expect(answer.tasks.map((task) => task.output)).toEqual([
      tasks[0]?.output,
      tasks[1]?.output,
      { digest: 'd400000', bytes: 400_000, omitted: 'too_large' },
    ])
  })

  it('is found by writing each value a few times, however many there are', () => {
    let written = 0
    const value = {
      toJSON() {
        written += 1
        return 'x'.repeat(60_000)
      },
    }
    const record = createRecord(Array.from({ length: 50 }, (_, id) => ({ id: `a::${id}`, output: { value } })))
    expect(isFitting(toRunAnswer(record, MAX_RESULT_BYTES), MAX_RESULT_BYTES)).toBe(true)
    expect(written).toBeLessThan(50 * 6)
  })

  it('keeps what did not pass before other tasks where nothing else helps', () => {
    const ids = Array.from({ length: 256 }, (_, id) => `a::task-${id}`)
    const tasks = ids.map((id, n) => ({
      id,
      needs: Object.fromEntries(ids.slice(0, n).map((need) => [need, 'd'.repeat(32)])),
    }))
    const failing = tasks.map((task, n) => (n === 200 ? { ...task, status: 'failed' as const } : task))
    const answer = toRunAnswer(createRecord(failing), MAX_RESULT_BYTES)
    expect(isFitting(answer, MAX_RESULT_BYTES)).toBe(true)
    expect(answer.tasks.at(-1)).toMatchObject({ id: 'a::task-200', status: 'failed' })
    expect(answer.tasks.length).toBeGreaterThan(50)
    expect(answer.left_out).toBe(256 - answer.tasks.length)
  })
})

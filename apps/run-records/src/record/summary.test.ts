import { expect, it } from 'vitest'
import { toSummary } from './summary.ts'

const ROW = {
  schema_version: 1,
  id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  job: 'nightly',
  via: 'cli',
  holder: 'runs::holder-x',
  lock: { name: 'default', generation: 1 },
  status: 'passed',
  started_at: '2026-01-01T00:00:00.000Z',
  force: false,
  input: {},
  task_count: 256,
} as const

it('a summary has all tasks of a run, and of those with long names as many as a row has room for', () => {
  const toTasks = (id: string) => Array.from({ length: 256 }, (_, at) => ({ id: id + at, status: 'passed' as const }))
  const tasks = toTasks('reports::yearly::of-a-department::')
  expect(toSummary(ROW, tasks, 0)).toMatchObject({ task_count: 256, tasks })
  const long = toSummary(ROW, toTasks('x'.repeat(1_000)), 0)
  expect(long.tasks.length).toBeGreaterThan(20)
  expect(Buffer.byteLength(JSON.stringify(long))).toBeLessThan(40_000)
})

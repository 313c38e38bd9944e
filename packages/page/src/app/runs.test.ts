import { describe, expect, it } from 'vitest'
import { type RunsEntry, toEntryKey, toEntryLine, toEntryTitle } from './runs.ts'

const at = '2026-01-02T03:04:05.000Z'
const run: RunsEntry = {
  kind: 'run',
  id: 'r1',
  job: 'nightly',
  status: 'passed',
  started_at: at,
  duration_ms: 12,
  tasks: [{ id: 'a::b', status: 'passed' }],
  task_count: 1,
}
const call: RunsEntry = { kind: 'call', id: 'c1', tool: 'orders__list', outcome: 'refused', started_at: at }

describe('an entry of what ran', () => {
  it('is a run, with how many tasks it had', () => {
    expect([toEntryKey(run), toEntryTitle(run)]).toEqual(['r1', '✓ nightly'])
    expect(toEntryLine(run)).toMatch(/: passed, 12 ms, 1 task$/)
    expect(toEntryLine({ ...run, task_count: 250 })).toMatch(/, 250 tasks$/)
  })

  it('is a call of a client, which has no tasks', () => {
    expect([toEntryKey(call), toEntryTitle(call)]).toEqual(['c1', '✗ orders__list'])
    expect(toEntryLine(call)).toMatch(/: refused, called by a client$/)
    expect(toEntryLine({ ...call, client: { name: 'page' } })).toMatch(/called by page$/)
  })

  it('is a gap, where calls were made that nobody told of', () => {
    const gap: RunsEntry = { kind: 'gap', missed: 2, at }
    expect([toEntryKey(gap), toEntryTitle(gap)]).toEqual([`gap-${at}`, '• 2 calls that nobody told of'])
  })
})

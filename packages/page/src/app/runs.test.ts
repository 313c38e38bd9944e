import { describe, expect, it, vi } from 'vitest'
import { callTool } from './connection.ts'
import { type RunsEntry, readGraph, toEntryKey, toEntryLine, toEntryTitle } from './runs.ts'

vi.mock('./connection.ts', () => ({ callTool: vi.fn() }))

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

it('a graph has the tasks that depend on others, though only others are on its first page', async () => {
  const alone = Array.from({ length: 250 }, (_, at) => ({ id: `a::${at}` }))
  const bound = { tasks: [{ id: 'b::one' }, { id: 'b::two' }], edges: [{ from: 'b::one', to: 'b::two' }] }
  const pages = [{ tasks: alone, edges: [], cursor: 'a::99' }, bound]
  vi.mocked(callTool).mockImplementation(async () => ({ content: [], structuredContent: pages.shift() ?? {} }))
  expect(await readGraph()).toEqual(bound)
})

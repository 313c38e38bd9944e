import { expect, it } from 'vitest'
import type { CallEntry, CallRows } from './call-rows.ts'
import { listEntries } from './list.ts'
import type { RunIndex } from './run-index.ts'

const MINUTE_MS = 60_000
const NOON = Date.UTC(2026, 5, 1, 12)
const minutes = (count: number) => new Date(NOON + count * MINUTE_MS).toISOString()

/** A call by the minutes at which it began and was over. */
function createCall(began: number, ended: number): CallEntry {
  return {
    kind: 'call',
    id: `${began} to ${ended}`,
    asked: 'tool',
    tool: 'shop__count',
    started_at: minutes(began),
    duration_ms: (ended - began) * MINUTE_MS,
    outcome: 'ok',
    bytes_in: 2,
    bytes_out: 2,
  }
}

/** A store of these calls, a row each, in the order in which they were told; tells which rows were read. */
function createCalls(entries: readonly CallEntry[]) {
  const read: number[] = []
  const calls: Pick<CallRows, 'head' | 'read'> = {
    head: async () => ({ rows: entries.length, first: 0, older: [], entries: entries.length, bytes: 0 }),
    async read(row) {
      read.push(row)
      return entries.slice(row, row + 1).map((entry) => ({ number: 0, entry }))
    },
  }
  const index = {} as RunIndex
  const list = async (since: string, cursor?: string) =>
    await listEntries(index, calls as CallRows, { kind: 'call', limit: 100, since, cursor })
  return { list, read }
}

it('what began since then is listed although a call that took longer has ended after it', async () => {
  const { list } = createCalls([createCall(10, 11), createCall(35, 36), createCall(58, 59), createCall(0, 60)])
  const { entries, cursor } = await list(minutes(30))
  expect(entries.map((entry) => entry.kind === 'call' && entry.id)).toEqual(['58 to 59', '35 to 36'])
  expect(cursor).toBeUndefined()
})

it('what was over before then ends the list, and no row behind it is read', async () => {
  const calls = Array.from({ length: 50 }, (_, at) => createCall(at, at + 1))
  const { list, read } = createCalls(calls)
  const { entries, cursor } = await list(minutes(45))
  expect(entries).toHaveLength(5)
  expect(cursor).toBeUndefined()
  expect(read.length).toBeLessThan(10)
})

it('a page of nothing but what began before goes on with its cursor', async () => {
  const { list } = createCalls([createCall(50, 51), ...Array.from({ length: 25 }, () => createCall(0, 60))])
  const first = await list(minutes(40))
  expect(first).toMatchObject({ entries: [], cursor: expect.any(String) })
  expect(await list(minutes(40), first.cursor)).toMatchObject({ entries: [{ id: '50 to 51' }] })
})

it('a page goes on behind rows in which there is nothing, however many there are', async () => {
  const rows = 70
  const calls: Pick<CallRows, 'head' | 'read'> = {
    head: async () => ({ rows, first: 0, older: [], entries: 1, bytes: 0 }),
    read: async (row) => (row === 0 ? [{ number: 0, entry: createCall(0, 1) }] : []),
  }
  const index: Pick<RunIndex, 'head' | 'read'> = { head: calls.head, read: async () => [] }
  const found: unknown[] = []
  const cursors = new Set<string | undefined>()
  let cursor: string | undefined
  do {
    const page = await listEntries(index as RunIndex, calls as CallRows, { limit: 10, cursor })
    found.push(...page.entries)
    cursor = page.cursor
    expect(cursors).not.toContain(cursor)
    cursors.add(cursor)
  } while (cursor !== undefined)
  expect(found).toMatchObject([{ id: '0 to 1' }])
})

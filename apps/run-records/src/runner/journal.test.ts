import { createLog } from '@iii/sdk'
import { expect, test, vi } from 'vitest'
import type { RunRow, TaskRecordRow } from '../record/run-record.ts'
import type { RunStore } from '../store/store.ts'
import { createJournal } from './journal.ts'

test('a store that does not answer holds up a run once, and its end once, and nothing is written without the lock', async () => {
  const patience = vi.spyOn(AbortSignal, 'timeout')
  let isThere = true
  const lease = {
    name: 'default',
    generation: 1,
    lost: new AbortController().signal,
    confirm: async () => isThere,
    release: async () => undefined,
  }
  const written: string[] = []
  const runs = { writeTask: async (_run: string, number: number) => written.push(`task ${number}`) }
  const store = new Proxy({ runs } as unknown as RunStore, {
    get(target, name) {
      if (name === 'runs') return target.runs
      throw new Error('it was written')
    },
  })
  const journal = createJournal(store, lease, 'r', createLog({ name: 'runs', level: 'silent' }))
  const row = { task: { id: 'a::b', status: 'skipped' } } as TaskRecordRow
  await journal.task(0, row)
  isThere = false
  for (const number of [1, 2, 3]) await journal.task(number, row)
  isThere = true
  for (const number of [4, 5]) await journal.task(number, row)
  isThere = false
  await journal.task(6, row)
  await journal.end({ job: 'a' } as RunRow, new Map())
  expect(patience.mock.calls.flat()).toEqual([15_000, 15_000, 200, 200, 200, 15_000, 15_000, 15_000])
  expect({ written, isIncomplete: journal.isIncomplete }).toEqual({
    written: ['task 0', 'task 4', 'task 5'],
    isIncomplete: true,
  })
  patience.mockRestore()
})

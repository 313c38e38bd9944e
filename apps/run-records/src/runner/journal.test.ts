import { createLog } from '@iii/sdk'
import { expect, test } from 'vitest'
import type { RunRow } from '../record/run-record.ts'
import type { RunStore } from '../store/store.ts'
import { createJournal } from './journal.ts'

test('a store that does not answer holds up the end of a run once, and nothing is written without the lock', async () => {
  let asked = 0
  const lease = {
    name: 'default',
    generation: 1,
    lost: new AbortController().signal,
    confirm: async () => {
      asked += 1
      return false
    },
    release: async () => undefined,
  }
  const store = new Proxy({} as RunStore, {
    get: () => {
      throw new Error('it was written')
    },
  })
  const journal = createJournal(store, lease, 'r', createLog({ name: 'runs', level: 'silent' }))
  await journal.end({ job: 'a' } as RunRow, new Map())
  expect({ asked, isIncomplete: journal.isIncomplete }).toEqual({ asked: 1, isIncomplete: true })
})

import type { Worker } from '@iii/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NOTES, note, noteRecords } from '../testing/notes.ts'
import { createTextLog } from '../testing/recorded-log.ts'
import { openCollection } from './collection.ts'
import { toIndexed } from './indexed.ts'
import { watchOutsideChanges } from './outside-changes.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** A note that is indexed, and what hears of writes to its scope. */
function startWatch() {
  const log = createTextLog()
  const worker = { trigger: async () => undefined as never }
  const collection = openCollection({
    ...{ worker, scope: NOTES, timeoutMs: () => 5000, kind: noteRecords, announce: () => undefined, log },
  })
  const row = note('a', 'old')
  collection.replica.set(toIndexed(noteRecords, row, undefined))
  const looked: string[] = []
  let hear: (event: unknown) => unknown = () => undefined
  const heard = {
    instance: 'one',
    registerFunction: (_: string, handler: typeof hear) => {
      hear = handler
      return { unregister: () => undefined }
    },
    registerTrigger: () => ({ unregister: () => undefined }),
  } as unknown as Worker
  watchOutsideChanges(heard, collection, (key) => looked.push(key))
  const tell = (value: unknown) => {
    hear({ key: 'a', new_value: value })
    vi.runAllTimers()
    return looked
  }
  return { collection, row, tell, hear: (event: unknown) => hear(event) }
}

describe('a write that is heard of', () => {
  it('is looked at when it is not what the index says, though its time is the same and it was read before', () => {
    const { collection, row, tell } = startWatch()
    const other = { ...row, text: 'of somebody else' }
    collection.cache.set('a', other, other.text.length)
    expect(tell(other)).toEqual(['a'])
  })

  it('is not looked at when it is what the index says, or what is being written', () => {
    const { collection, row, tell } = startWatch()
    expect(tell(row)).toEqual([])
    const next = note('a', 'next')
    collection.writing.set('a', next)
    expect(tell(next)).toEqual([])
  })

  it('is an event of state: anything else is refused in words', () => {
    const { hear } = startWatch()
    for (const event of [{}, null, 'x', { key: 5 }])
      expect(() => hear(event)).toThrow(/hears of writes to .*, and takes nothing but events of state/)
  })
})

import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { createLog, InvocationError } from '@iii/sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NOTES, note, noteRecords, openNotes } from '../testing/notes.ts'
import { openCollection } from './collection.ts'
import { toIndexed } from './indexed.ts'
import { createPrefetch } from './prefetch.ts'

const SOON = { timeout: 10_000, interval: 5 }
/** Together more than is compared at the start. */
const LONG = 'x'.repeat(1024 * 1024)

/** Notes that are indexed here, and were never read. @returns the keys that are read, as they come */
function openIndexed(notes: readonly ReturnType<typeof note>[], fail = (_: string): Error | undefined => undefined) {
  const read: string[] = []
  const rows = new Map(notes.map((row) => [row.id, row]))
  const trigger = async (request: { payload?: unknown }) => {
    const { key } = request.payload as { key: string }
    const error = fail(key)
    if (error !== undefined) throw error
    read.push(key)
    return rows.get(key) as never
  }
  const log = createLog({ name: 'registry', level: 'silent' })
  const collection = openCollection({
    worker: { trigger },
    scope: NOTES,
    timeoutMs: () => 5000,
    kind: noteRecords,
    announce: () => undefined,
    log,
  })
  for (const row of notes) collection.replica.set(toIndexed(noteRecords, row, undefined))
  return { collection, read }
}

describe('bodies that nobody has read since the start', () => {
  it('are read all the same, and given back to a store that is emptied', async () => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    const first = await openNotes(engine.url)
    for (let at = 0; at < 6; at += 1) await first.store.write(note(`n-${at}`, `${at} ${LONG}`))
    await first[Symbol.asyncDispose]()
    const keys = new Set<string>()
    engine.onFrame(({ direction, text }) => {
      const head = text.slice(0, 300)
      const [key] = /n-\d/.exec(head) ?? []
      if (direction === 'in' && head.includes('"state::get"') && head.includes('"notes"') && key) keys.add(key)
    })
    await using second = await openNotes(engine.url)
    await vi.waitFor(() => expect(keys.size).toBe(6), SOON)
    await second.keys()
    for (const scope of sharedState.scopes()) {
      for (const [key] of [...sharedState.entries(scope)]) sharedState.delete(scope, key)
    }
    await vi.waitFor(() => expect(sharedState.values(NOTES)).toHaveLength(6), SOON)
    expect((await second.store.list()).filter(({ lost }) => lost)).toEqual([])
    expect(await second.store.read('n-3')).toMatchObject({ text: `3 ${LONG}` })
  })

  it('are read one at a time, the newest first, as many as are kept', async () => {
    const notes = Array.from({ length: 34 }, (_, at) => note(`n-${at}`, LONG))
    const { collection, read } = openIndexed(notes)
    createPrefetch(collection).start()
    await vi.waitFor(() => expect(collection.cache.hasRoom(LONG.length)).toBe(false), SOON)
    // In 32 MiB there is no room for as many texts of 1 MiB: their rows take more.
    expect(read).toEqual(
      notes
        .slice(3)
        .map(({ id }) => id)
        .reverse(),
    )
  })

  it('are read on when the store can be read again, but for what ends the connection', async () => {
    const faults: Error[] = [
      new InvocationError('connection_lost', 'Max payload size exceeded', 'state::get'),
      new InvocationError('TIMEOUT', 'no answer', 'state::get'),
    ]
    const { collection, read } = openIndexed([note('a'), note('b'), note('c')], (key) =>
      key === 'a' ? undefined : faults.shift(),
    )
    const prefetch = createPrefetch(collection)
    await vi.waitFor(() => {
      prefetch.start()
      expect(read).toEqual(['b', 'a'])
    }, SOON)
    prefetch.start()
    expect(collection.cache.get('c')).toBeUndefined()
  })

  it('wait for who asks, but not for ever, and are left alone at the end', async () => {
    const { collection, read } = openIndexed([note('a'), note('b'), note('c')])
    const prefetch = createPrefetch(collection)
    const now = vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => now.mockRestore())
    /** Somebody asks at that time. */
    const askAt = (ms: number) => {
      now.mockReturnValue(ms)
      prefetch.giveWay()
    }
    askAt(0)
    prefetch.start()
    for (const [ms, expected] of [
      [900, []],
      [1000, ['c']],
      [2000, ['c', 'b']],
    ] as const) {
      askAt(ms)
      const looks = now.mock.calls.length
      await vi.waitFor(() => expect(now.mock.calls.length).toBeGreaterThan(looks + 4), SOON)
      await vi.waitFor(() => expect(read).toEqual(expected), SOON)
    }
    prefetch.stop()
    await new Promise((resolve) => setImmediate(resolve))
    expect(read).toEqual(['c', 'b'])
  })
})

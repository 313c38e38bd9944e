import { startMockEngine } from '@iii/mock-engine'
import { createLog, createStateScope, registerWorker, type Worker } from '@iii/sdk'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Difference } from './mirror.ts'
import type { RecordKind } from './record-kind.ts'
import { openStore, type Store } from './store.ts'

const Note = z.object({ id: z.string(), text: z.string(), registered_at: z.string() })
type Note = z.infer<typeof Note>
const Entry = z.object({ registered_at: z.string(), length: z.number(), bytes: z.number() })
type Entry = z.infer<typeof Entry>

const notes: RecordKind<Note, Entry> = {
  what: 'note',
  schema: Note,
  keyOf: ({ id }) => id,
  contentOf: ({ text }) => text,
  toEntry: ({ text, registered_at }) => ({ length: text.length, bytes: Buffer.byteLength(text), registered_at }),
  entrySchema: Entry,
}

interface TestStore extends AsyncDisposable {
  store: Store<Note, Entry>
  worker: Worker
  /** Everything that was announced. */
  changes: Difference[]
  keys(): Promise<string[]>
}

const log = createLog({ name: 'test', level: 'silent' })

async function openTestStore(url: string, lookEveryMs = 20): Promise<TestStore> {
  const worker = registerWorker(url, { name: 'registry', log })
  const changes: Difference[] = []
  const announce = (change: Difference) => changes.push(change)
  const store = openStore({ worker, scope: 'notes', timeoutMs: () => 5000, kind: notes, announce, log, lookEveryMs })
  await worker.ready({ timeoutMs: 5000 })
  return {
    store,
    worker,
    changes,
    keys: async () => (await store.list()).map(({ key }) => key).sort(),
    async [Symbol.asyncDispose]() {
      store.close()
      await worker.shutdown()
    },
  }
}

function note(id: string, text = 'text', registered_at = new Date().toISOString()): Note {
  return { id, text, registered_at }
}

describe('a store of records', () => {
  it('lists what was written and reads it back', async () => {
    await using engine = await startMockEngine()
    await using first = await openTestStore(engine.url)
    await first.store.write(note('a', 'one'), 'ada')
    await first.store.write(note('b', 'second'))
    expect(await first.keys()).toEqual(['a', 'b'])
    expect(await first.store.read('a')).toMatchObject({ text: 'one' })
    expect(first.store.peek('a')).toMatchObject({ owner: 'ada', entry: { length: 3 } })
    expect(await first.store.remove('a')).toBe(true)
    expect(await first.store.remove('a')).toBe(false)
    expect(await first.keys()).toEqual(['b'])
  })

  it('takes over rows that another program wrote, and leaves them as they are', async () => {
    await using engine = await startMockEngine()
    const rows = Array.from({ length: 100 }, (_, at) => note(`n-${at}`, 'x'.repeat(at)))
    for (const row of rows) await engine.call('state::set', { scope: 'notes', key: row.id, value: row })
    await engine.call('state::set', { scope: 'notes', key: 'odd', value: 'no record' })
    await using first = await openTestStore(engine.url)
    expect(await first.keys()).toEqual(rows.map(({ id }) => id).sort())
    expect(await engine.call('state::get', { scope: 'notes', key: 'n-7' })).toEqual(rows[7])
    await using second = await openTestStore(engine.url)
    expect(await second.keys()).toEqual(rows.map(({ id }) => id).sort())
  })

  it('never reads a body for a list', async () => {
    await using engine = await startMockEngine()
    await using first = await openTestStore(engine.url, 60_000)
    await first.store.write(note('a', 'x'.repeat(200_000)))
    await first.keys()
    const received: string[] = []
    engine.onFrame(({ direction, text }) => direction === 'out' && received.push(text))
    await first.keys()
    expect(received.join('').length).toBeLessThan(2000)
  })

  it('serves what another registry wrote, and announces it', async () => {
    await using engine = await startMockEngine()
    await using first = await openTestStore(engine.url)
    await using second = await openTestStore(engine.url)
    await second.keys()
    await first.store.write(note('a'), 'ada')
    expect(await second.keys()).toEqual(['a'])
    await vi.waitFor(() => expect(second.changes).toMatchObject([{ key: 'a', op: 'register', owner: 'ada' }]))
    await first.store.remove('a')
    expect(await second.keys()).toEqual([])
    expect(second.changes).toMatchObject([{ op: 'register' }, { op: 'unregister', previousOwner: 'ada' }])
  })

  it('sees within a second what is written behind its back', async () => {
    await using engine = await startMockEngine()
    await using first = await openTestStore(engine.url)
    await first.keys()
    const scope = createStateScope(first.worker, 'notes')
    await scope.set('a', note('a', 'behind'))
    await vi.waitFor(async () => expect(await first.keys()).toEqual(['a']))
    await scope.set('a', note('a', 'changed behind'))
    await vi.waitFor(() => expect(first.store.peek('a')?.entry.length).toBe(14))
    await scope.delete('a')
    await vi.waitFor(async () => expect(await first.keys()).toEqual([]))
    await vi.waitFor(() => expect(first.changes.map(({ op }) => op)).toEqual(['register', 'register', 'unregister']))
  })

  it('writes records back that the engine lost, but none that were removed', async () => {
    await using engine = await startMockEngine()
    await using first = await openTestStore(engine.url)
    await first.store.write(note('kept', 'body'), 'ada')
    await first.store.write(note('removed'))
    await first.store.remove('removed')
    await first.keys()
    await wipe(engine)
    await vi.waitFor(async () =>
      expect(await engine.call('state::get', { scope: 'notes', key: 'kept' })).toMatchObject({ text: 'body' }),
    )
    expect(await first.keys()).toEqual(['kept'])
    expect(first.store.peek('kept')?.owner).toBe('ada')
    await using second = await openTestStore(engine.url)
    expect(await second.keys()).toEqual(['kept'])
  })

  it('says that a body is lost when only its entry was still known', async () => {
    await using engine = await startMockEngine()
    await using first = await openTestStore(engine.url)
    await first.store.write(note('a', 'body'))
    await using second = await openTestStore(engine.url)
    expect(await second.keys()).toEqual(['a'])
    await first[Symbol.asyncDispose]()
    await wipe(engine)
    await vi.waitFor(() => expect(second.store.peek('a')?.lost).toBe(true))
    await expect(second.store.read('a')).rejects.toThrow('register it again')
    expect(await second.keys()).toEqual(['a'])
    await second.store.write(note('a', 'again'))
    expect(await second.store.read('a')).toMatchObject({ text: 'again' })
  })

  it('ends with the index of the body that is stored when two registries write one record', async () => {
    await using engine = await startMockEngine()
    await using first = await openTestStore(engine.url)
    await using second = await openTestStore(engine.url)
    await Promise.all([first.keys(), second.keys()])
    const writes = Array.from({ length: 50 }, (_, at) =>
      (at % 2 === 0 ? first : second).store.write(note('a', 'x'.repeat(at + 1))),
    )
    await Promise.all(writes)
    await vi.waitFor(async () => {
      const stored = (await first.store.read('a'))?.text.length
      expect((await first.store.list())[0]?.entry.length).toBe(stored)
      expect((await second.store.list())[0]?.entry.length).toBe(stored)
    })
  })
})

async function wipe(engine: { call(id: string, payload: unknown): Promise<unknown> }): Promise<void> {
  const { groups } = (await engine.call('state::list_groups', {})) as { groups: string[] }
  for (const scope of groups) {
    const rows = (await engine.call('state::list', { scope })) as { id?: string; key?: string }[]
    for (const row of rows) await engine.call('state::delete', { scope, key: row.id ?? row.key ?? 'head' })
  }
}

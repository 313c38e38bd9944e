import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { NOTES, note, openNotes } from '../testing/notes.ts'

const SOON = { timeout: 10_000, interval: 5 }

type Engine = Awaited<ReturnType<typeof startMockEngine>>

/** Stores notes as another program would. */
async function fill(engine: Engine, count: number, length = 10) {
  const rows = Array.from({ length: count }, (_, at) => note(`n-${at}`, 'x'.repeat(length)))
  for (const row of rows) await engine.call('state::set', { scope: NOTES, key: row.id, value: row })
  return rows
}

describe('a store without an index', () => {
  it('is taken over without losing a row, and its rows stay as they are', async () => {
    await using engine = await startMockEngine()
    const rows = await fill(engine, 100)
    await engine.call('state::set', { scope: NOTES, key: 'odd', value: 'no record' })
    await using first = await openNotes(engine.url)
    expect(await first.keys()).toEqual(rows.map(({ id }) => id).sort())
    expect(await engine.call('state::get', { scope: NOTES, key: 'n-7' })).toEqual(rows[7])
    expect(first.said).toEqual([
      'info: indexed the notes of a store without an index',
      'warn: some stored rows are no notes and are not listed',
    ])
    await using second = await openNotes(engine.url)
    expect(await second.keys()).toEqual(rows.map(({ id }) => id).sort())
    expect(second.said).toEqual([])
  })

  it('is taken over by two at the same time', async () => {
    await using engine = await startMockEngine()
    const rows = await fill(engine, 100)
    await using first = await openNotes(engine.url)
    await using second = await openNotes(engine.url)
    const ids = rows.map(({ id }) => id).sort()
    expect(await Promise.all([first.keys(), second.keys()])).toEqual([ids, ids])
    await vi.waitFor(async () => expect(await Promise.all([first.keys(), second.keys()])).toEqual([ids, ids]), SOON)
  })

  it('is taken over after the connection broke in between', async () => {
    await using engine = await startMockEngine()
    const rows = await fill(engine, 50)
    engine.inject({ fault: 'drop-connection', when: 'own-call', function: 'state::set', skip: 20, times: 1 })
    await using notes = await openNotes(engine.url)
    await vi.waitFor(async () => expect(await notes.keys()).toEqual(rows.map(({ id }) => id).sort()), SOON)
  })
})

describe('a store without an index that does not fit into one message', () => {
  const open = (engine: Engine, startsFresh = false) =>
    openNotes(engine.url, { maxMessageBytes: 100_000, startsFresh: () => startsFresh })

  it('costs one connection, and says how to import it instead', async () => {
    await using engine = await startMockEngine()
    await fill(engine, 30, 5000)
    await using notes = await open(engine)
    const refused = /do not fit into one message.*--fresh-index.*iii-skills import DIR/
    await vi.waitFor(() => expect(notes.keys()).rejects.toThrow(refused), SOON)
    await notes.worker.ready({ timeoutMs: 5000 })
    const { workerId } = notes.worker
    for (let times = 0; times < 5; times += 1) await expect(notes.keys()).rejects.toThrow(refused)
    expect(notes.worker.workerId).toBe(workerId)
    expect(await notes.store.read('n-3')).toMatchObject({ id: 'n-3' })
    await notes.store.write(note('new'))
    expect(await notes.store.read('new')).toMatchObject({ id: 'new' })
  })

  it('gets an empty index when it is told to, and what is registered or read from then on is in it', async () => {
    await using engine = await startMockEngine()
    await fill(engine, 30, 5000)
    const stuck = await open(engine)
    await vi.waitFor(() => expect(stuck.keys()).rejects.toThrow('--fresh-index'), SOON)
    await stuck.worker.ready({ timeoutMs: 5000 })
    await stuck.store.write(note('before'))
    await stuck[Symbol.asyncDispose]()
    await using fresh = await open(engine, true)
    expect(await fresh.keys()).toEqual(['before'])
    await fresh.store.write(note('n-1', 'imported'))
    await fresh.store.read('n-2')
    await vi.waitFor(async () => expect(await fresh.keys()).toEqual(['before', 'n-1', 'n-2']), SOON)
    // The next one finds an index: it neither asks for all records nor has to be told again.
    await using next = await open(engine)
    const { workerId } = next.worker
    expect(await next.keys()).toEqual(['before', 'n-1', 'n-2'])
    expect(next.worker.workerId).toBe(workerId)
  })

  it('is taken over once another registry has indexed it', async () => {
    await using engine = await startMockEngine()
    await fill(engine, 30, 5000)
    await using notes = await open(engine)
    await vi.waitFor(() => expect(notes.keys()).rejects.toThrow('--fresh-index'), SOON)
    await using larger = await openNotes(engine.url)
    await larger.keys()
    await vi.waitFor(async () => expect(await notes.keys()).toHaveLength(30), SOON)
  })
})

it('a connection that ends again and again while a store is taken over is not blamed at once', async () => {
  await using engine = await startMockEngine()
  await fill(engine, 5)
  const cut = engine.inject({ fault: 'drop-connection', when: 'own-call', function: 'state::list', times: 2 })
  await using notes = await openNotes(engine.url)
  await vi.waitFor(async () => expect(await notes.keys()).toHaveLength(5), SOON)
  expect(cut.struck).toBe(2)
})

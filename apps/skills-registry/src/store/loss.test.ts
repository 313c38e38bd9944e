import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { startFleet } from '../testing/fleet.ts'
import { NOTES, type NoteStore, note, openNotes } from '../testing/notes.ts'

const SOON = { timeout: 10_000, interval: 5 }

/** Lists again and again. @returns what ends it: all lists that were given */
function listAllTheTime({ keys }: NoteStore): () => Promise<string[][]> {
  const lists: string[][] = []
  let isOver = false
  const done = (async () => {
    while (!isOver) {
      await keys().then(
        (list) => lists.push(list),
        () => undefined,
      )
    }
  })()
  return async () => {
    isOver = true
    await done
    return lists
  }
}

describe('an engine that comes back without its state', () => {
  it('is given everything back that is known, and no list is short in between', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url)
    for (let at = 0; at < 50; at += 1) await notes.store.write(note(`n-${at}`, `body ${at}`), 'ada')
    await notes.store.write(note('removed'))
    await notes.store.remove('removed')
    const before = await notes.keys()
    const stop = listAllTheTime(notes)
    await engine.restart({ state: 'lose', downMs: 50 })
    await vi.waitFor(async () => {
      expect(await engine.call('state::get', { scope: NOTES, key: 'n-7' })).toMatchObject({ text: 'body 7' })
    }, SOON)
    expect(await notes.keys()).toEqual(before)
    for (const list of await stop()) expect(list).toEqual(before)
    expect(await engine.call('state::list', { scope: NOTES })).toHaveLength(50)
    expect(notes.store.peek('n-7')?.owner).toBe('ada')
    expect(notes.said.filter((line) => line.includes('wrote'))).toEqual([
      'warn: the engine came back without its state: wrote the notes back that were still known',
    ])
    await using second = await openNotes(engine.url)
    expect(await second.keys()).toEqual(before)
  })

  it('reads what was stored in the very first read after it', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url, { pollEveryMs: 60_000 })
    await notes.store.write(note('a', 'body'))
    await notes.keys()
    await engine.restart({ state: 'lose' })
    await vi.waitFor(async () => expect(await notes.store.read('a')).toMatchObject({ text: 'body' }), SOON)
  })

  it('never takes a record for removed that went down with it', async () => {
    const reads: unknown[] = []
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url)
    await notes.store.write(note('a', 'body'))
    await notes.keys()
    const restarted = engine.restart({ state: 'lose' })
    for (let times = 0; times < 20; times += 1) reads.push(await notes.store.read('a').catch(() => 'failed'))
    await restarted
    expect(reads).not.toContain(undefined)
    expect(notes.changes).toHaveLength(1)
  })

  it('keeps what was registered there since', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url)
    await notes.store.write(note('a', 'old'))
    await notes.keys()
    await engine.restart({ state: 'lose' })
    await engine.call('state::set', { scope: NOTES, key: 'a', value: note('a', 'published again') })
    await vi.waitFor(() => expect(notes.store.peek('a')?.entry.bytes).toBe('published again'.length), SOON)
    expect(await notes.store.read('a')).toMatchObject({ text: 'published again' })
  })

  it('has the entries of records whose text nobody knows any more, and reading them says so', async () => {
    const sharedState = createSharedState()
    await using engine = await startMockEngine({ sharedState })
    await using second = await openNotes(engine.url)
    await second.keys()
    const first = await openNotes(engine.url)
    await first.store.write(note('a', 'body'))
    expect(await second.keys()).toEqual(['a'])
    await first[Symbol.asyncDispose]()
    for (const scope of sharedState.scopes()) {
      for (const [key] of [...sharedState.entries(scope)]) sharedState.delete(scope, key)
    }
    await vi.waitFor(() => expect(second.store.peek('a')?.lost).toBe(true), SOON)
    await expect(second.store.read('a')).rejects.toThrow("went down with the engine's state: register it again")
    expect(await second.keys()).toEqual(['a'])
    await second.store.write(note('a', 'again'))
    expect(await second.store.read('a')).toMatchObject({ text: 'again' })
    expect(second.store.peek('a')?.lost).toBeUndefined()
  })

  it('gets the text from whichever registry has it', async () => {
    await using fleet = await startFleet(2)
    const [first, second] = fleet.registries
    await first.store.write(note('a', 'known to the first'))
    await second.store.write(note('b', 'known to the second'))
    await Promise.all([first.keys(), second.keys()])
    fleet.wipe()
    await vi.waitFor(async () => {
      const texts = fleet.bodies().map(({ text }) => text)
      expect(texts.sort()).toEqual(['known to the first', 'known to the second'])
      for (const { store } of fleet.registries) for (const { lost } of await store.list()) expect(lost).toBeUndefined()
    }, SOON)
  })

  it('does not get a record back that was removed, from a registry that had not heard of it', async () => {
    await using fleet = await startFleet(2)
    const [first, second] = fleet.registries
    await first.store.write(note('a'))
    await second.keys()
    await Promise.all([first.store.remove('a'), fleet.restartEngines()]).catch(() => undefined)
    await vi.waitFor(() => first.store.remove('a'), SOON)
    fleet.wipe()
    await fleet.restartEngines()
    await fleet.connected()
    await vi.waitFor(async () => {
      expect(await first.keys()).toEqual([])
      expect(await second.keys()).toEqual([])
      expect(fleet.bodies()).toEqual([])
    }, SOON)
  })
})

describe('an engine that crashes before it has written what it acknowledged', () => {
  it('is given the last writes and removals again', async () => {
    await using fleet = await startFleet(1)
    const [notes] = fleet.registries
    await notes.store.write(note('old', 'old'))
    await notes.store.write(note('removed'))
    const goBack = fleet.snapshot()
    await notes.store.write(note('old', 'new'), 'ada')
    await notes.store.write(note('new', 'new'))
    await notes.store.remove('removed')
    goBack()
    await fleet.restartEngines()
    await vi.waitFor(() => {
      const texts = fleet.bodies().map(({ id, text }) => [id, text])
      expect(texts.sort()).toEqual([
        ['new', 'new'],
        ['old', 'new'],
      ])
    }, SOON)
    expect(await notes.keys()).toEqual(['new', 'old'])
    expect(notes.store.peek('old')?.owner).toBe('ada')
  })

  it('does not give back what a removed record was before its last writes', async () => {
    await using fleet = await startFleet(1)
    const [notes] = fleet.registries
    await notes.store.write(note('removed', 'old'))
    const goBack = fleet.snapshot()
    await notes.store.write(note('removed', 'new'))
    await notes.store.remove('removed')
    await notes.store.write(note('kept'))
    goBack()
    await fleet.restartEngines()
    await vi.waitFor(() => expect(fleet.bodies().map(({ id }) => id)).toEqual(['kept']), SOON)
    expect(await notes.keys()).toEqual(['kept'])
  })

  it('keeps what somebody who stamps no time registered after a removal', async () => {
    await using fleet = await startFleet(1)
    const [notes] = fleet.registries
    await notes.store.write(note('anew', 'old'))
    await notes.store.write(note('removed'))
    const goBack = fleet.snapshot()
    await notes.store.remove('anew')
    await notes.store.remove('removed')
    goBack()
    const value = { ...note('anew', 'published again'), registered_at: 'today' }
    await fleet.engines[0]?.call('state::set', { scope: NOTES, key: 'anew', value })
    await fleet.restartEngines()
    await vi.waitFor(async () => expect(await notes.keys()).toEqual(['anew']), SOON)
    expect(fleet.bodies()).toEqual([value])
  })
})

describe('what was acknowledged before such a crash', () => {
  it('is what the first reads after it give, and what was removed is not there', async () => {
    await using fleet = await startFleet(1)
    const [{ store }] = fleet.registries
    const [engine] = fleet.engines
    await store.write(note('written', 'old'))
    await store.write(note('removed'))
    const goBack = fleet.snapshot()
    await store.write(note('written', 'new'))
    await store.remove('removed')
    goBack()
    for (const slow of ['state::set', 'state::delete'] as const) {
      engine?.inject({ fault: 'delay-call', function: slow, ms: 300 })
    }
    await fleet.restartEngines()
    const first = (key: string) => vi.waitFor(() => store.read(key), SOON)
    const [written, removed] = await Promise.all([first('written'), first('removed')])
    expect(written).toMatchObject({ text: 'new' })
    expect(removed).toBeUndefined()
  })
})

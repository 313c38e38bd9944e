import { startMockEngine } from '@iii/mock-engine'
import { createStateScope } from '@iii/sdk'
import { describe, expect, it, vi } from 'vitest'
import { NOTES, note, openNotes, untilQuiet } from '../testing/notes.ts'
import { ROW_BYTES } from './record-kind.ts'

const SOON = { timeout: 10_000, interval: 5 }

describe('a store of records', () => {
  it('lists what was written and reads it back', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url)
    await notes.store.write(note('a', 'one'), 'ada')
    await notes.store.write(note('b', 'second'))
    expect(await notes.keys()).toEqual(['a', 'b'])
    expect(await notes.store.read('a')).toMatchObject({ text: 'one' })
    expect(notes.store.peek('a')).toMatchObject({ owner: 'ada', entry: { bytes: 3 } })
    expect(await notes.store.remove('a')).toBe(true)
    expect(await notes.store.remove('a')).toBe(false)
    expect(await notes.keys()).toEqual(['b'])
    expect(await notes.store.read('a')).toBeUndefined()
  })

  it('gives the same array until something changes', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url)
    await notes.store.write(note('a'))
    const listed = await notes.store.list()
    expect(await notes.store.list()).toBe(listed)
    await notes.store.write(note('b'))
    expect(await notes.store.list()).not.toBe(listed)
  })

  it('costs the same to list whatever the records take: one small row, and no record', async () => {
    const bytes: number[] = []
    for (const length of [1024, 262_144]) {
      await using engine = await startMockEngine()
      await using notes = await openNotes(engine.url, { pollEveryMs: 60_000 })
      for (const id of ['a', 'b', 'c']) await notes.store.write(note(id, 'x'.repeat(length)))
      await untilQuiet(engine)
      await notes.keys()
      const received: string[] = []
      engine.onFrame(({ direction, text }) => direction === 'out' && received.push(text))
      await notes.keys()
      expect(received).toHaveLength(1)
      bytes.push(received.join('').length)
    }
    expect(bytes[0]).toBe(bytes[1])
    expect(bytes[0]).toBeLessThan(1000)
  })

  it('shares one reading among lists that are asked for at once', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url, { pollEveryMs: 60_000 })
    await notes.keys()
    const asked: string[] = []
    engine.onFrame(({ direction, text }) => direction === 'in' && asked.push(text))
    await Promise.all(Array.from({ length: 100 }, () => notes.keys()))
    expect(asked.length).toBeLessThanOrEqual(2)
  })

  it('shows what another registry acknowledged before the list was asked for, though another list is under way', async () => {
    await using engine = await startMockEngine()
    await using first = await openNotes(engine.url, { name: 'first', pollEveryMs: 60_000 })
    await using second = await openNotes(engine.url, { name: 'second', pollEveryMs: 60_000 })
    await second.keys()
    using slow = engine.inject({ fault: 'delay-result', function: 'state::get', ms: 200, times: 1 })
    const early = second.keys()
    await vi.waitFor(() => expect(slow.struck).toBe(1), SOON)
    await first.store.write(note('a'))
    expect(await second.keys()).toEqual(['a'])
    await early
  })

  it('leaves rows of another version alone, and says so once', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url)
    await notes.store.write(note('a'))
    for (let shard = 0; shard < 32; shard += 1) {
      const place = { scope: `${NOTES}::index::${shard}`, key: 'later' }
      await engine.call('state::set', { ...place, value: { version: 9 } })
    }
    await using later = await openNotes(engine.url)
    expect(await later.keys()).toEqual(['a'])
    expect(later.said.filter((line) => line.includes('cannot be read'))).toHaveLength(1)
  })
})

describe('what is written behind its back', () => {
  it('shows up within a second, and is announced', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url)
    await notes.keys()
    const scope = createStateScope(notes.worker, NOTES)
    const startedAt = performance.now()
    await scope.set('a', note('a', 'behind'))
    await vi.waitFor(async () => expect(await notes.keys()).toEqual(['a']), { ...SOON, timeout: 1000 })
    expect(performance.now() - startedAt).toBeLessThan(1000)
    await scope.set('a', note('a', 'changed behind'))
    await vi.waitFor(() => expect(notes.store.peek('a')?.entry.bytes).toBe(14), SOON)
    await scope.delete('a')
    await vi.waitFor(async () => expect(await notes.keys()).toEqual([]), SOON)
    // A change is announced when other registries can see it as well: a moment after it is listed here.
    const ops = () => notes.changes.map(({ op }) => op)
    await vi.waitFor(() => expect(ops()).toEqual(['register', 'register', 'unregister']), SOON)
  })

  it('is announced, also when the other registries could not be told of it at once', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url)
    await notes.keys()
    const ops = () => notes.changes.map(({ op }) => op)
    const place = { scope: NOTES, key: 'a' }
    using deaf = engine.inject({ fault: 'fail-call', function: 'state::update', times: 1 })
    await engine.call('state::set', { ...place, value: note('a') })
    await vi.waitFor(() => expect(deaf.struck).toBe(1), SOON)
    await vi.waitFor(() => expect(ops()).toEqual(['register']), SOON)
    using mute = engine.inject({ fault: 'fail-call', function: 'state::update', times: 1 })
    await engine.call('state::delete', place)
    await vi.waitFor(() => expect(mute.struck).toBe(1), SOON)
    await vi.waitFor(() => expect(ops()).toEqual(['register', 'unregister']), SOON)
  })

  it('is found when it is read, also where no event tells of it', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url)
    await notes.keys()
    using deaf = engine.inject({ fault: 'fail-call', function: 'skills::store::*' })
    await engine.call('state::set', { scope: NOTES, key: 'a', value: note('a', 'unheard') })
    await vi.waitFor(() => expect(deaf.struck).toBe(1), SOON)
    expect(await notes.keys()).toEqual([])
    expect(await notes.store.read('a')).toMatchObject({ text: 'unheard' })
    await vi.waitFor(async () => expect(await notes.keys()).toEqual(['a']), SOON)
    await engine.call('state::delete', { scope: NOTES, key: 'a' })
    await vi.waitFor(() => expect(deaf.struck).toBeGreaterThan(1), SOON)
    expect(await notes.store.read('a')).toBeUndefined()
    await vi.waitFor(async () => expect(await notes.keys()).toEqual([]), SOON)
  })

  it('while no registry was there is found at the start', async () => {
    await using engine = await startMockEngine()
    const first = await openNotes(engine.url)
    await first.store.write(note('gone'))
    await first.store.write(note('changed'))
    await first[Symbol.asyncDispose]()
    await engine.call('state::delete', { scope: NOTES, key: 'gone' })
    await engine.call('state::set', { scope: NOTES, key: 'changed', value: note('changed', 'meanwhile') })
    await engine.call('state::set', { scope: NOTES, key: 'new', value: note('new') })
    await using second = await openNotes(engine.url)
    expect(await second.keys()).toEqual(['changed', 'new'])
    expect(second.store.peek('changed')?.entry.bytes).toBe('meanwhile'.length)
  })
})

describe('what was written while no registry was there', () => {
  const MIB = 1024 * 1024

  it.each([
    ['up to 4 MiB are compared with the index at the start', 4 * MIB, 'x'.length],
    ['beyond that no text is read at the start, and what was changed is put right when it is read', 4 * MIB + 1, MIB],
  ])('%s', async (_, total, listed) => {
    await using engine = await startMockEngine()
    const first = await openNotes(engine.url)
    for (const id of ['a', 'b', 'c']) await first.store.write(note(id, 'x'.repeat(MIB)))
    await first.store.write(note('d', 'x'.repeat(total - 3 * MIB - 4 * ROW_BYTES)))
    await first[Symbol.asyncDispose]()
    await engine.call('state::set', { scope: NOTES, key: 'a', value: note('a', 'x') })
    await using second = await openNotes(engine.url)
    expect(await second.keys()).toEqual(['a', 'b', 'c', 'd'])
    expect(second.store.peek('a')?.entry.bytes).toBe(listed)
    expect(await second.store.read('a')).toMatchObject({ text: 'x' })
    await vi.waitFor(() => expect(second.store.peek('a')?.entry.bytes).toBe(1), SOON)
  })
})

describe('a store that is closed', () => {
  it('announces nothing any more, and asks for nothing', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url)
    await notes.store.write(note('a'))
    await notes.keys()
    notes.store.close()
    await notes.worker.ready()
    const frames: string[] = []
    engine.onFrame(({ text }) => frames.push(text))
    await engine.call('state::set', { scope: NOTES, key: 'b', value: note('b') })
    await notes.worker.ready()
    expect(frames.filter((text) => text.includes('invoke'))).toEqual([])
    expect(notes.changes).toHaveLength(1)
  })
})

import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'

import { note, openNotes } from '../testing/notes.ts'

const SOON = { timeout: 10_000, interval: 5 }

describe('a store that fails', () => {
  it('is an error of every list, and serves again when it can be read', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url, { pollEveryMs: 10 })
    await notes.store.write(note('a'))
    await notes.keys()
    const broken = engine.inject({ fault: 'fail-call', function: 'state::*', message: 'disk on fire' })
    await expect(notes.keys()).rejects.toThrow('state::get: disk on fire')
    await expect(notes.store.read('a')).rejects.toThrow('state::get: disk on fire')
    await expect(notes.store.write(note('b'))).rejects.toThrow('state::set: disk on fire')
    await vi.waitFor(() => expect(notes.said).toContain('warn: the store cannot be read; trying again'), SOON)
    broken()
    expect(await notes.keys()).toEqual(['a'])
    await vi.waitFor(() => expect(notes.said.at(-1)).toBe('info: the store can be read again'), SOON)
  })

  it('in the middle of a write leaves no record without its index', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url)
    await using other = await openNotes(engine.url)
    await Promise.all([notes.keys(), other.keys()])
    for (const step of ['state::set', 'state::update']) {
      // The body is stored, and then something goes wrong.
      const skip = step === 'state::set' ? 1 : 0
      engine.inject({ fault: 'fail-call', function: step, times: 1, skip })
      await expect(notes.store.write(note(step, 'body'))).rejects.toThrow(step)
      await vi.waitFor(async () => expect(await other.keys()).toContain(step), SOON)
      expect(await notes.keys()).toContain(step)
      expect(notes.changes.map(({ key }) => key)).toContain(step)
      expect(other.changes.map(({ key }) => key)).toContain(step)
    }
  })
  it('and refuses a body leaves no entry of it', async () => {
    await using engine = await startMockEngine()
    await using notes = await openNotes(engine.url)
    await using other = await openNotes(engine.url)
    await notes.store.write(note('old', 'body'))
    await Promise.all([notes.keys(), other.keys()])
    for (const [id, left] of [
      ['new', undefined],
      ['old', 'body'],
    ] as const) {
      engine.inject({ fault: 'fail-call', function: 'state::set', times: 1 })
      await expect(notes.store.write(note(id, 'a longer body'))).rejects.toThrow('state::set')
      for (const { store } of [notes, other]) {
        await vi.waitFor(async () => {
          expect(await store.read(id)).toEqual(left && expect.objectContaining({ text: left }))
          const item = (await store.list()).find(({ key }) => key === id)
          expect(item?.entry.bytes).toBe(left?.length)
        }, SOON)
      }
    }
  })
})

import { createSharedState, startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { NOTES, note, openNotes, untilQuiet } from '../testing/notes.ts'

/** Two registries, each on an engine of its own, and the engines share a store. */
async function openPair(options?: Parameters<typeof openNotes>[1]) {
  const sharedState = createSharedState()
  const [here, there] = await Promise.all([startMockEngine({ sharedState }), startMockEngine({ sharedState })])
  const [first, second] = await Promise.all([openNotes(here.url, options), openNotes(there.url, options)])
  return {
    ...{ sharedState, here, there, first, second },
    async [Symbol.asyncDispose]() {
      for (const opened of [second, first, there, here]) await opened[Symbol.asyncDispose]()
    },
  }
}

const SOON = { timeout: 10_000, interval: 5 }

describe('two registries on one engine', () => {
  it('serve what the other one wrote, and announce it', async () => {
    await using engine = await startMockEngine()
    await using first = await openNotes(engine.url)
    await using second = await openNotes(engine.url)
    await second.keys()
    await first.store.write(note('a'), 'ada')
    expect(await second.keys()).toEqual(['a'])
    await vi.waitFor(() => expect(second.changes).toMatchObject([{ key: 'a', op: 'register', owner: 'ada' }]), SOON)
    await first.store.remove('a')
    expect(await second.keys()).toEqual([])
    expect(second.changes).toMatchObject([{ op: 'register' }, { op: 'unregister', previousOwner: 'ada' }])
  })

  it('end with the index of the body that is stored, and its owner, when both write one record', async () => {
    await using engine = await startMockEngine()
    await using first = await openNotes(engine.url, { name: 'first' })
    await using second = await openNotes(engine.url, { name: 'second' })
    await Promise.all([first.keys(), second.keys()])
    const writes = Array.from({ length: 50 }, (_, at) =>
      at % 2 === 0
        ? first.store.write(note('a', 'x'.repeat(at + 1)), 'even')
        : second.store.write(note('a', 'x'.repeat(at + 1)), 'odd'),
    )
    await Promise.all(writes)
    await vi.waitFor(async () => {
      const stored = (await first.store.read('a'))?.text.length ?? 0
      for (const { store } of [first, second]) {
        const [item] = await store.list()
        expect(item).toMatchObject({ entry: { bytes: stored }, owner: stored % 2 === 1 ? 'even' : 'odd' })
      }
    }, SOON)
  })

  it('do not write over what the other one knows of the owner', async () => {
    await using engine = await startMockEngine()
    await using first = await openNotes(engine.url, { name: 'first' })
    // One that looks seldom hears of the write before it has seen the index of it.
    await using second = await openNotes(engine.url, { name: 'second', pollEveryMs: 60_000 })
    await second.keys()
    await first.store.write(note('a'), 'ada')
    await vi.waitFor(() => expect(second.store.peek('a')).toBeDefined(), SOON)
    expect(second.store.peek('a')?.owner).toBe('ada')
    await first.keys()
    expect(first.store.peek('a')?.owner).toBe('ada')
  })
})

describe('two registries on engines that share a store', () => {
  it('show what was changed through the other one within two seconds, with its event, for the price of one small row', async () => {
    await using pair = await openPair({ pollEveryMs: 1000 })
    const { here, there, first, second } = pair
    for (let at = 0; at < 200; at += 1) await first.store.write(note(`n-${at}`, 'x'.repeat(10_000)))
    await untilQuiet(here)
    await second.keys()

    const asked: string[] = []
    let bytes = 0
    there.onFrame(({ direction, text }) => {
      if (direction === 'in') asked.push(text)
      else bytes += text.length
    })
    await vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(2), SOON)
    // Nothing has changed: every look is one row.
    expect(asked.every((text) => text.includes('"state::get"') && text.includes('"head"'))).toBe(true)
    expect(bytes / asked.length).toBeLessThan(1500)

    asked.length = 0
    second.changes.length = 0
    const changedAt = performance.now()
    await first.store.write(note('n-7', 'changed'), 'ada')
    await vi.waitFor(() => expect(second.changes).toMatchObject([{ key: 'n-7', op: 'register', owner: 'ada' }]), SOON)
    expect(performance.now() - changedAt).toBeLessThan(2000)
    expect(second.store.peek('n-7')?.entry.bytes).toBe('changed'.length)
    // One record has changed: one of the 32 parts of the index was read, and no body.
    expect(asked.filter((text) => text.includes('"state::list"'))).toHaveLength(1)
    expect(asked.filter((text) => text.includes(`"scope":"${NOTES}"`))).toEqual([])
  })

  it('a change through one is in the very next list of the other', async () => {
    await using pair = await openPair({ pollEveryMs: 60_000 })
    const { first, second } = pair
    await second.keys()
    for (let at = 0; at < 20; at += 1) {
      await first.store.write(note(`n-${at}`))
      expect(await second.keys()).toHaveLength(at + 1)
    }
    await first.store.remove('n-0')
    expect(await second.keys()).toHaveLength(19)
  })

  it('what is counted before it is stored is in the next list after it was acknowledged', async () => {
    await using pair = await openPair({ pollEveryMs: 60_000 })
    const { sharedState, here, first, second } = pair
    await Promise.all([first.keys(), second.keys()])
    const counts = () => sharedState.entries(`${NOTES}::index`)
    for (let at = 0; at < 5; at += 1) {
      await untilQuiet(here)
      const before = JSON.stringify([...counts()])
      // The body goes through, and its entry comes late.
      using slow = here.inject({ fault: 'delay-call', function: 'state::set', ms: 100, times: 1, skip: 1 })
      const written = first.store.write(note(`n-${at}`))
      await vi.waitFor(() => expect(JSON.stringify([...counts()])).not.toBe(before), SOON)
      await second.keys()
      await written
      expect(slow.struck).toBe(1)
      expect(await second.keys()).toHaveLength(at + 1)
    }
  })

  it('what has an entry and no text yet is not taken for removed by whoever reads it on the other', async () => {
    await using pair = await openPair({ pollEveryMs: 60_000 })
    const { here, first, second } = pair
    await Promise.all([first.keys(), second.keys()])
    // The text comes late.
    using slow = here.inject({ fault: 'delay-call', function: 'state::set', ms: 300, times: 1 })
    const written = first.store.write(note('late'))
    await vi.waitFor(async () => expect(await second.keys()).toEqual(['late']), SOON)
    expect(await second.store.read('late')).toBeUndefined()
    await written
    expect(slow.struck).toBe(1)
    expect(await Promise.all([first.keys(), second.keys()])).toEqual([['late'], ['late']])
    expect(await second.store.read('late')).toMatchObject({ id: 'late' })
    for (const { changes } of [first, second]) expect(changes.map(({ op }) => op)).not.toContain('unregister')
  })

  it('what is written behind the back of one shows up on the other, too', async () => {
    await using pair = await openPair()
    const { here, first, second } = pair
    await Promise.all([first.keys(), second.keys()])
    await here.call('state::set', { scope: NOTES, key: 'a', value: note('a') })
    await vi.waitFor(() => expect(second.changes).toMatchObject([{ key: 'a', op: 'register' }]), SOON)
  })
})

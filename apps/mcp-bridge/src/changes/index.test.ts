import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import type { ListKind } from '../mcp/call.ts'
import { type Changes, createChanges, type Watcher } from './index.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Changes over a few texts, and somebody who watches. */
function setUp(wants: readonly ListKind[] = ['tools', 'prompts', 'resources'], uris: readonly string[] = []) {
  const texts = new Map<string, string | undefined>([
    ['prompts', 'p1'],
    ['resources', 'r1'],
    ['iii://skills', 'i1'],
  ])
  const looks: string[] = []
  const draw = (subject: string) => async () => {
    looks.push(subject)
    const text = texts.get(subject)
    if (text === undefined) throw new Error('not there')
    return text
  }
  const render = new Map([...texts.keys()].map((subject) => [subject, draw(subject)]))
  const refreshTools = vi.fn(() => Promise.resolve())
  const changes = createChanges({ render, mayHear: () => Promise.resolve(true), refreshTools })
  const told: string[] = []
  const reader = { isThere: true }
  const watcher: Watcher = {
    who: () => ({ principal: EVERYBODY, attached: false }),
    wants: (kind) => wants.includes(kind),
    isSubscribed: (uri) => uris.includes(uri),
    addresses: () => uris,
    isThere: () => reader.isThere,
    tell: (method, params) => {
      told.push('uri' in params ? params.uri : method.replace('notifications/', ''))
    },
  }
  const watch = () => changes.watch(watcher)
  return { texts, looks, refreshTools, changes, told, reader, watch }
}

async function pass(ms = 1_000): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
}

describe('changes', () => {
  it('reach whoever wants the kind, once for a burst', async () => {
    const { changes, told, watch } = setUp(['tools'])
    watch()
    for (let i = 0; i < 100; i += 1) changes.toolsChanged()
    changes.announced({ kind: 'prompts' })
    await pass()
    expect(told).toEqual(['tools/list_changed'])
  })

  it('are told only when what a client sees is different', async () => {
    const { texts, changes, told, watch } = setUp()
    watch()
    await changes.ready()
    changes.engineChanged()
    changes.promptChanged()
    await pass()
    expect(told).toEqual([])
    texts.set('prompts', 'p2')
    changes.engineChanged()
    await pass()
    texts.set('resources', 'r2')
    changes.skillChanged('a')
    await pass()
    expect(told).toEqual(['prompts/list_changed', 'resources/list_changed'])
  })

  it('of a resource reach those who subscribed to it', async () => {
    const { texts, changes, told, watch } = setUp([], ['iii://a', 'iii://skills', 'iii://fn/a/b', 'db://x'])
    watch()
    await changes.ready()
    changes.skillChanged('a')
    changes.skillChanged('b')
    await pass()
    expect(told.splice(0)).toEqual(['iii://a'])
    texts.set('iii://skills', 'i2')
    changes.skillChanged('b')
    changes.announced({ kind: 'resource', uri: 'db://x' })
    changes.announced({ kind: 'resource', uri: 'db://y' })
    await pass()
    expect(told.splice(0).sort()).toEqual(['db://x', 'iii://skills'])
  })

  it('of a resource reach those who subscribed to its listed address, however it is written when it is announced', async () => {
    const { changes, told, watch } = setUp([], ['db://x/gr%C3%BCn'])
    watch()
    await changes.ready()
    changes.announced({ kind: 'resource', uri: 'db://x/grün' })
    await pass()
    expect(told.splice(0)).toEqual(['db://x/gr%C3%BCn'])
    changes.functionsSeen([])
    changes.functionsSeen([{ id: 'a::b', metadata: { mcp: { resource: { uri: 'db://x/grün', name: 'x' } } } }])
    await pass()
    expect(told.splice(0)).toEqual(['db://x/gr%C3%BCn'])
  })

  it('of functions reach subscribers of their sections and of the resources that they declare', async () => {
    const { changes, told, watch } = setUp([], ['iii://fn/a/b', 'db://x', 'iii://fn/still/there'])
    watch()
    const still = { id: 'still::there', metadata: null }
    const declared = { id: 'db.read', metadata: { mcp: { resource: { uri: 'db://x', name: 'x' } } } }
    changes.functionsSeen([still])
    await pass()
    changes.functionsSeen([still, { id: 'a::b', metadata: null }, declared])
    await pass()
    expect(told.splice(0)).toEqual(['iii://fn/a/b', 'db://x'])
    changes.functionsSeen([still, { id: 'a::b', metadata: null }, { id: 'db.read', metadata: { tier: 'ops' } }])
    await pass()
    expect(told.splice(0)).toEqual(['db://x'])
    changes.functionsSeen([still])
    await pass()
    expect(told).toEqual(['iii://fn/a/b'])
  })

  it('that somebody announces are told as they are; the tools are looked at first', async () => {
    const { changes, told, watch, refreshTools } = setUp()
    watch()
    await changes.ready()
    for (const kind of ['tools', 'prompts', 'resources'] as const) changes.announced({ kind })
    await pass()
    expect(told.sort()).toEqual(['prompts/list_changed', 'resources/list_changed', 'tools/list_changed'])
    expect(refreshTools).toHaveBeenCalledOnce()
  })

  it('that cannot be seen yet are looked for until they are', async () => {
    const { texts, changes, told, watch } = setUp()
    watch()
    await changes.ready()
    texts.set('prompts', undefined)
    changes.engineChanged()
    await pass(5_000)
    expect(told).toEqual([])
    texts.set('prompts', 'p2')
    await pass(2_000)
    expect(told).toEqual(['prompts/list_changed'])
  })

  it('without an event are found within half a minute', async () => {
    const { texts, changes, told, watch } = setUp()
    watch()
    await changes.ready()
    texts.set('prompts', 'p2')
    await pass(31_000)
    expect(told).toEqual(['prompts/list_changed'])
  })

  it('without an event are found sooner where somebody has subscribed to what has none', async () => {
    let text = 't1'
    const changes = createChanges({
      render: new Map(),
      mayHear: () => Promise.resolve(true),
      renderOf: (uri) => (uri === 'iii://triggers' ? async () => text : undefined),
      refreshTools: () => Promise.resolve(),
      isSilent: (uri) => uri === 'iii://triggers',
    })
    const told: unknown[] = []
    const addresses = () => ['iii://triggers', 'iii://functions']
    changes.watch({
      who: () => ({ principal: EVERYBODY, attached: false }),
      wants: () => false,
      isSubscribed: (uri) => addresses().includes(uri),
      addresses,
      tell: (_, params) => void told.push('uri' in params && params.uri),
    })
    await changes.ready()
    await pass(6_000)
    expect(told).toEqual([])
    text = 't2'
    await pass(6_000)
    expect(told).toEqual(['iii://triggers'])
    changes.close()
  })

  it('cost no look while nobody reads what is told; what was missed is told on return', async () => {
    const { texts, changes, told, looks, reader, watch } = setUp(['tools', 'prompts', 'resources'], ['iii://skills'])
    watch()
    await changes.ready()
    reader.isThere = false
    expect(changes.isWatched()).toBe(false)
    looks.length = 0
    texts.set('prompts', 'p2')
    changes.promptChanged()
    changes.engineChanged()
    changes.announced({ kind: 'resources' })
    await pass(300_000)
    expect([looks, told.splice(0)]).toEqual([[], ['resources/list_changed']])
    reader.isThere = true
    watch()
    await pass()
    expect([changes.isWatched(), told]).toEqual([true, ['prompts/list_changed']])
    await pass(60_000)
    expect(told).toEqual(['prompts/list_changed'])
  })

  it('of a page that cannot be seen are told once to somebody who comes back, not for each check meanwhile', async () => {
    const { texts, changes, told, reader, watch } = setUp([], ['iii://skills'])
    texts.set('iii://skills', undefined)
    watch()
    await changes.ready()
    reader.isThere = false
    await pass(300_000)
    expect(told).toEqual([])
    texts.set('iii://skills', 'i2')
    reader.isThere = true
    watch()
    await pass()
    expect(told).toEqual(['iii://skills'])
  })

  it('cost nothing while nobody watches', async () => {
    const { texts, changes, told, looks, watch } = setUp()
    const everything = (all: Changes) => {
      all.engineChanged()
      all.toolsChanged()
      all.skillChanged('a')
      all.promptChanged()
      all.announced({ kind: 'resources' })
      all.announced({ kind: 'resource', uri: 'iii://a' })
    }
    everything(changes)
    expect(vi.getTimerCount()).toBe(1)
    const leave = watch()
    await changes.ready()
    leave()
    texts.set('prompts', 'p2')
    looks.length = 0
    everything(changes)
    await pass(60_000)
    expect([looks, told]).toEqual([[], []])
    watch()
    await changes.ready()
    changes.engineChanged()
    await pass()
    expect(told).toEqual([])
    changes.close()
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EVERYBODY } from '../auth/principal.ts'
import { createChanges } from './index.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Somebody who watches a list of tools that has only some of them. */
function setUp(list: { text: string | undefined; isShort: boolean }) {
  const draw = async () => {
    if (list.text === undefined) throw new Error('not there')
    return list.text
  }
  const changes = createChanges({
    render: new Map([['tools', draw]]),
    mayHear: () => Promise.resolve(true),
    refreshTools: () => Promise.resolve(),
    hasOwnTools: () => list.isShort,
  })
  const told: string[] = []
  changes.watch({
    who: () => ({ principal: EVERYBODY, attached: false }),
    wants: (kind) => kind === 'tools',
    isSubscribed: () => false,
    addresses: () => [],
    tell: (...[method]) => void told.push(method),
  })
  return { changes, told }
}

const pass = (ms = 1_000) => vi.advanceTimersByTimeAsync(ms)
const CHANGED = ['notifications/tools/list_changed']

describe('whoever has a short list of tools', () => {
  it('is not told of tools that are not in it', async () => {
    const { changes, told } = setUp({ text: 'search', isShort: true })
    await changes.ready()
    changes.toolsChanged()
    changes.engineChanged()
    await pass(60_000)
    expect(told).toEqual([])
  })

  it('is told of those that are, once, also where no event tells of them', async () => {
    const list = { text: 'search', isShort: true }
    const { changes, told } = setUp(list)
    await changes.ready()
    list.text = 'search, pinned'
    changes.toolsChanged()
    changes.rulesChanged()
    await pass(5_000)
    expect(told.splice(0)).toEqual(CHANGED)
    list.text = 'search'
    await pass(31_000)
    expect(told).toEqual(CHANGED)
  })

  it('is told when it gets the whole list, and when that gets short again', async () => {
    const list = { text: 'search', isShort: true }
    const { changes, told } = setUp(list)
    await changes.ready()
    Object.assign(list, { text: '', isShort: false })
    changes.toolsChanged()
    await pass()
    expect(told.splice(0)).toEqual(CHANGED)
    changes.toolsChanged()
    await pass()
    expect(told.splice(0)).toEqual(CHANGED)
    Object.assign(list, { text: 'search', isShort: true })
    changes.toolsChanged()
    await pass()
    expect(told).toEqual(CHANGED)
  })

  it('is told where there was nothing to compare with', async () => {
    const list: { text: string | undefined; isShort: boolean } = { text: undefined, isShort: true }
    const { changes, told } = setUp(list)
    await changes.ready()
    list.text = 'search'
    changes.toolsChanged()
    await pass()
    expect(told).toEqual(CHANGED)
  })

  it('is told, once, of a list that it was given less of, also where the whole of it was the first to be looked at', async () => {
    const { changes, told } = setUp({ text: 'search, pinned', isShort: true })
    await changes.ready()
    changes.owed('tools')
    changes.toolsChanged()
    await pass(60_000)
    expect(told).toEqual(CHANGED)
  })
})

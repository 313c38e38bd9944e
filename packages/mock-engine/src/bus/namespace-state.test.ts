import { describe, expect, it, vi } from 'vitest'
import type { Frame } from '../wire/frames.ts'
import { createNamespaceState, DEFAULT_AT_ONCE } from './namespace-state.ts'
import { Panic } from './panic.ts'

const unregister = (id: string): Frame => ({ type: 'unregisterfunction', id })
const LONG_MS = 60_000

/** A namespace state, what it carried out, and how often its time was over; each frame takes as long as `until` says. */
function open({
  graceMs = LONG_MS,
  home = ['default'],
  until,
}: {
  graceMs?: number
  home?: string[]
  until?: Promise<void>
} = {}) {
  const done: string[] = []
  const expired = vi.fn(() => home[0])
  const namespaceState = createNamespaceState(graceMs, expired, (frame) => {
    done.push('id' in frame ? frame.id : frame.type)
    return until
  })
  return { namespaceState, done, expired }
}

describe('a connection that has not said its namespace', () => {
  it('has its registrations held back, in order, and nothing else', async () => {
    const { namespaceState, done } = open()
    expect(namespaceState.hold({ type: 'ping' })).toBe(false)
    expect([unregister('a'), unregister('b')].map(namespaceState.hold)).toEqual([true, true])
    expect([namespaceState.decided, namespaceState.namespace, done]).toEqual([false, 'default', []])
    await namespaceState.decide('orders')
    expect([namespaceState.decided, namespaceState.namespace, done]).toEqual([true, 'orders', ['a', 'b']])
    expect(namespaceState.hold(unregister('c'))).toBe(false)
    await namespaceState.decide('other')
    expect(namespaceState.namespace).toBe('orders')
  })

  it('has what comes while they are carried out put behind them', async () => {
    let release = () => {}
    const until = new Promise<void>((resolve) => {
      release = resolve
    })
    const { namespaceState, done } = open({ until })
    namespaceState.hold(unregister('a'))
    const decided = namespaceState.decide('orders')
    expect(namespaceState.hold(unregister('b'))).toBe(true)
    expect(done).toEqual(['a'])
    release()
    await decided
    expect(done).toEqual(['a', 'b'])
    namespaceState.abandon()
  })

  it('is put somewhere when its time is over', async () => {
    const { namespaceState, done } = open({ graceMs: 1 })
    namespaceState.hold(unregister('a'))
    await vi.waitFor(() => expect(done).toEqual(['a']))
    expect([namespaceState.decided, namespaceState.namespace]).toEqual([true, 'default'])
  })

  it('stays undecided when there is nowhere to put it', async () => {
    const { namespaceState, done, expired } = open({ graceMs: 1, home: [] })
    namespaceState.hold(unregister('a'))
    await vi.waitFor(() => expect(expired).toHaveBeenCalled())
    expect([namespaceState.decided, done]).toEqual([false, []])
    await namespaceState.decide('orders')
    expect(done).toEqual(['a'])
  })

  it('takes what it held along when it leaves, and what still comes', async () => {
    const { namespaceState, done } = open()
    namespaceState.hold(unregister('a'))
    namespaceState.abandon()
    expect(namespaceState.hold(unregister('b'))).toBe(true)
    await namespaceState.decide('orders')
    expect(done).toEqual([])
  })
})

it('a frame that the engine stumbles over leaves the rest waiting', () => {
  const namespaceState = createNamespaceState(
    LONG_MS,
    () => 'default',
    () => {
      throw new Panic('no router')
    },
  )
  namespaceState.hold(unregister('a'))
  namespaceState.hold(unregister('b'))
  expect(() => namespaceState.decide('orders')).toThrow(Panic)
  expect(namespaceState.hold(unregister('c'))).toBe(true)
  namespaceState.abandon()
})

it('an engine without namespaces has nobody wait', () => {
  expect([DEFAULT_AT_ONCE.hold(unregister('a')), DEFAULT_AT_ONCE.decided, DEFAULT_AT_ONCE.namespace]).toEqual([
    false,
    true,
    'default',
  ])
})

import { describe, expect, it, vi } from 'vitest'
import type { Frame } from './frames.ts'
import { createResidence, SETTLED } from './namespace-state.ts'
import { Panic } from './panic.ts'

const unregister = (id: string): Frame => ({ type: 'unregisterfunction', id })
const LONG_MS = 60_000

/** A residence, what it carried out, and how often its time was over; each frame takes as long as `until` says. */
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
  const residence = createResidence(graceMs, expired, (frame) => {
    done.push('id' in frame ? frame.id : frame.type)
    return until
  })
  return { residence, done, expired }
}

describe('a connection that has not said where it resides', () => {
  it('has its registrations held back, in order, and nothing else', async () => {
    const { residence, done } = open()
    expect(residence.hold({ type: 'ping' })).toBe(false)
    expect([unregister('a'), unregister('b')].map(residence.hold)).toEqual([true, true])
    expect([residence.decided, residence.namespace, done]).toEqual([false, 'default', []])
    await residence.decide('orders')
    expect([residence.decided, residence.namespace, done]).toEqual([true, 'orders', ['a', 'b']])
    expect(residence.hold(unregister('c'))).toBe(false)
    await residence.decide('other')
    expect(residence.namespace).toBe('orders')
  })

  it('has what comes while they are carried out put behind them', async () => {
    let release = () => {}
    const until = new Promise<void>((resolve) => {
      release = resolve
    })
    const { residence, done } = open({ until })
    residence.hold(unregister('a'))
    const decided = residence.decide('orders')
    expect(residence.hold(unregister('b'))).toBe(true)
    expect(done).toEqual(['a'])
    release()
    await decided
    expect(done).toEqual(['a', 'b'])
    residence.abandon()
  })

  it('is put somewhere when its time is over', async () => {
    const { residence, done } = open({ graceMs: 1 })
    residence.hold(unregister('a'))
    await vi.waitFor(() => expect(done).toEqual(['a']))
    expect([residence.decided, residence.namespace]).toEqual([true, 'default'])
  })

  it('stays undecided when there is nowhere to put it', async () => {
    const { residence, done, expired } = open({ graceMs: 1, home: [] })
    residence.hold(unregister('a'))
    await vi.waitFor(() => expect(expired).toHaveBeenCalled())
    expect([residence.decided, done]).toEqual([false, []])
    await residence.decide('orders')
    expect(done).toEqual(['a'])
  })

  it('takes what it held along when it leaves, and what still comes', async () => {
    const { residence, done } = open()
    residence.hold(unregister('a'))
    residence.abandon()
    expect(residence.hold(unregister('b'))).toBe(true)
    await residence.decide('orders')
    expect(done).toEqual([])
  })
})

it('a frame that the engine stumbles over leaves the rest waiting', () => {
  const residence = createResidence(
    LONG_MS,
    () => 'default',
    () => {
      throw new Panic('no router')
    },
  )
  residence.hold(unregister('a'))
  residence.hold(unregister('b'))
  expect(() => residence.decide('orders')).toThrow(Panic)
  expect(residence.hold(unregister('c'))).toBe(true)
  residence.abandon()
})

it('an engine without namespaces has nobody wait', () => {
  expect([SETTLED.hold(unregister('a')), SETTLED.decided, SETTLED.namespace]).toEqual([false, true, 'default'])
})

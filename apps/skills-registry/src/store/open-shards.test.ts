import { beforeEach, describe, expect, it } from 'vitest'
import { createOpenShards, type OpenShards } from './open-shards.ts'

describe('shards that are being written to', () => {
  let time = 0
  let shards: OpenShards
  const head: Record<string, unknown> = {}

  /** Counts shards in the head as the store would. */
  function count(...counted: number[]): readonly number[] {
    const { ops, unmarked, settle } = shards.change(new Set(counted))
    for (const op of ops) {
      if (op.type === 'set') head[op.path] = op.value
      if (op.type === 'remove') delete head[op.path]
    }
    settle(true)
    return unmarked
  }

  beforeEach(() => {
    time = 0
    shards = createOpenShards('me', () => time)
    for (const field of Object.keys(head)) delete head[field]
  })

  it('are marked with the count, once, and not any more with the next one after the last write', () => {
    shards.enter(5)
    shards.enter(5)
    expect(count(5)).toEqual([])
    expect(Object.keys(head)).toEqual(['w5:me'])
    shards.leave(5)
    expect(shards.change(new Set([5])).ops).toEqual([])
    expect(shards.hasIdle).toBe(false)
    shards.leave(5)
    expect(shards.hasIdle).toBe(true)
    shards.enter(7)
    expect(count(7)).toEqual([5])
    expect(Object.keys(head)).toEqual(['w7:me'])
  })

  it('stay marked from write to write, and the mark is said anew where that takes long', () => {
    shards.enter(5)
    count(5)
    shards.leave(5)
    shards.enter(5)
    expect(shards.change(new Set([5])).ops).toEqual([])
    time = 10_000
    expect(shards.change(new Set([5])).ops).toMatchObject([{ type: 'set', path: 'w5:me' }])
  })

  it('are marked and unmarked once more when nobody knows whether they were', () => {
    shards.enter(5)
    shards.change(new Set([5])).settle(false)
    expect(shards.change(new Set([5])).ops).toMatchObject([{ type: 'set' }])
    shards.leave(5)
    shards.change(new Set()).settle(false)
    expect(count()).toEqual([5])
    expect(shards.hasIdle).toBe(false)
  })

  it('of others are told, until nobody can be writing there any more', () => {
    shards.enter(5)
    count(5)
    Object.assign(head, { 'w3:other': 1, 'w4:third': 1, s3: 7, epoch: 'w9:x', 'word:x': 1 })
    expect([...shards.see(head)]).toEqual([3, 4])
    time = 59_000
    shards.see({ ...head, 'w4:third': 2 })
    expect(shards.hasAbandoned).toBe(false)
    time = 60_000
    expect(shards.hasAbandoned).toBe(true)
    expect(count()).toEqual([3])
    expect(Object.keys(head)).not.toContain('w3:other')
    expect([...shards.see(head)]).toEqual([4])
    expect(shards.hasAbandoned).toBe(false)
  })
})

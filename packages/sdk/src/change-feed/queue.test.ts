import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ChangeQueue, createChangeQueue } from './queue.ts'

interface Step {
  id: string
  n: number
}

const byId = { keyOf: ({ id }: Step) => id, merge: (_: Step, later: Step) => later }

function takeAll(queue: ChangeQueue<Step>): Step[] {
  const taken: Step[] = []
  for (let step = queue.take(); step !== undefined; step = queue.take()) taken.push(step)
  return taken
}

describe('the queue of a subscriber', () => {
  it('keeps every change in order as long as there is room', () => {
    const queue = createChangeQueue<Step>(3, byId)
    const steps = [1, 2, 3].map((n) => ({ id: 'a', n }))
    for (const step of steps) queue.add(step)
    expect(queue.size).toBe(3)
    expect(takeAll(queue)).toEqual(steps)
    expect(queue.size).toBe(0)
  })

  it('keeps only the last change of each id when there is none', () => {
    const queue = createChangeQueue<Step>(3, byId)
    for (const [index, id] of ['a', 'b', 'a', 'c', 'b', 'd'].entries()) queue.add({ id, n: index })
    expect(takeAll(queue)).toEqual([
      { id: 'a', n: 2 },
      { id: 'c', n: 3 },
      { id: 'b', n: 4 },
      { id: 'd', n: 5 },
    ])
  })

  it('makes one of those with the same id, also of such that were kept one by one', () => {
    const merge = (earlier: Step, later: Step) => ({ id: later.id, n: earlier.n + later.n })
    const queue = createChangeQueue<Step>(2, { ...byId, merge })
    for (const [index, id] of ['a', 'a', 'b', 'a', 'b'].entries()) queue.add({ id, n: 10 ** index })
    expect(takeAll(queue)).toEqual([
      { id: 'a', n: 1011 },
      { id: 'b', n: 10_100 },
    ])
  })

  it('has room again once it has run empty', () => {
    const queue = createChangeQueue<Step>(2, byId)
    for (let n = 0; n < 5; n++) queue.add({ id: 'a', n })
    expect(takeAll(queue)).toEqual([{ id: 'a', n: 4 }])
    queue.add({ id: 'a', n: 5 })
    queue.add({ id: 'a', n: 6 })
    expect(takeAll(queue).map(({ n }) => n)).toEqual([5, 6])
  })

  it('always ends with the last change of every id, and never goes back in time', () => {
    const move = fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constant('take'))
    fc.assert(
      fc.property(fc.array(move), fc.integer({ min: 1, max: 4 }), (moves, room) => {
        const queue = createChangeQueue<Step>(room, byId)
        const taken: Step[] = []
        const last = new Map<string, number>()
        for (const [n, id] of moves.entries()) {
          if (id === 'take') taken.push(...[queue.take() ?? []].flat())
          else queue.add({ id, n })
          if (id !== 'take') last.set(id, n)
        }
        taken.push(...takeAll(queue))
        expect(taken.map(({ n }) => n)).toEqual(taken.map(({ n }) => n).sort((a, b) => a - b))
        expect(new Map(taken.map(({ id, n }) => [id, n]))).toEqual(last)
      }),
    )
  })
})

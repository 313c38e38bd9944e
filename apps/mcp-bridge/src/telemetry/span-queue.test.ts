import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Span } from './otlp.ts'
import { createSpanQueue } from './span-queue.ts'

const toSpan = (name: string): Span => ({
  name,
  context: { traceId: '0'.repeat(31) + 1, spanId: '0'.repeat(15) + 1, isSampled: true },
  parentId: undefined,
  state: undefined,
  links: [],
  startedAt: 0,
  ms: 1,
  attributes: {},
  isError: false,
})

type Outcome = 'taken' | 'later' | 'refused'

/** A collector that answers as it is told, and a queue before it. */
function createStage(answer: () => Outcome | Promise<Outcome> = () => 'taken') {
  const sent: string[][] = []
  const send = async (spans: readonly Span[]) => {
    sent.push(spans.map(({ name }) => name))
    return answer()
  }
  const queue = createSpanQueue({ send, timeoutMs: 1_000, delayMs: 100, batchSize: 3, most: 5 })
  return { sent, queue, add: (...names: string[]) => names.map(toSpan).forEach(queue.add) }
}

describe('spans on their way to a collector', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('go together after a while, and at once where there are enough', async () => {
    const { sent, add } = createStage()
    add('a', 'b')
    await vi.advanceTimersByTimeAsync(99)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toEqual([['a', 'b']])
    add('c', 'd', 'e')
    await vi.advanceTimersByTimeAsync(0)
    expect(sent).toEqual([
      ['a', 'b'],
      ['c', 'd', 'e'],
    ])
  })

  it('wait for a collector that is away, the oldest first, and what is too much is left out and counted', async () => {
    let outcome: Outcome = 'later'
    const { sent, queue, add } = createStage(() => outcome)
    add('a', 'b')
    await vi.advanceTimersByTimeAsync(100)
    add('c', 'd', 'e', 'f', 'g')
    expect(queue.dropped).toBe(2)
    outcome = 'taken'
    await vi.advanceTimersByTimeAsync(200)
    expect(sent).toEqual([
      ['a', 'b'],
      ['a', 'b', 'c'],
    ])
    await vi.advanceTimersByTimeAsync(100)
    expect(sent.at(-1)).toEqual(['d', 'e'])
  })

  it('are asked for less and less often by a collector that stays away', async () => {
    const { sent, add } = createStage(() => 'later')
    add('a')
    await vi.advanceTimersByTimeAsync(100 + 200 + 400 + 800)
    expect(sent.length).toBe(4)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(sent.length).toBeLessThan(25)
  })

  it('are given up where the collector does not want them', async () => {
    const { sent, queue, add } = createStage(() => 'refused')
    add('a', 'b')
    await vi.advanceTimersByTimeAsync(1_000)
    expect([sent.length, queue.dropped]).toEqual([1, 2])
  })

  it('go all at once at the end, as far as there is time', async () => {
    const { sent, queue, add } = createStage()
    add('a', 'b')
    await queue.flush(500)
    expect(sent).toEqual([['a', 'b']])
    const stuck = createStage(() => new Promise(() => undefined))
    stuck.add('a', 'b', 'c')
    let isOver = false
    void stuck.queue.flush(500).then(() => {
      isOver = true
    })
    await vi.advanceTimersByTimeAsync(499)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(isOver).toBe(true)
  })
})

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import {
  CROWDED_HOLD_MS,
  createReplies,
  HOLD_MS,
  HUGE_LENGTH,
  LARGE_LENGTH,
  type Replies,
  type ReplySender,
} from './replies.ts'

interface Sent {
  at: number
  texts: readonly string[]
  epoch: number
}

const LARGE = 'x'.repeat(LARGE_LENGTH)
const HUGE = 'x'.repeat(HUGE_LENGTH)

/** Replies on a clock that stands still until it is moved, in an event loop that turns when it is told to. */
function startReplies() {
  const sent: Sent[] = []
  const turns = new Set<() => void>()
  const clock = {
    at: 1000,
    now: () => clock.at,
    soon(run: () => void) {
      turns.add(run)
      return () => void turns.delete(run)
    },
  }
  const send: ReplySender = (texts, epoch) => sent.push({ at: clock.at, texts: texts.map(String), epoch })
  const replies = createReplies({ send, repeat: send }, clock)
  return {
    clock,
    replies,
    sent,
    /** How many turns are waited for. */
    waits: () => turns.size,
    turn() {
      const due = [...turns]
      turns.clear()
      for (const run of due) run()
    },
  }
}

describe('a reply of ordinary size', () => {
  let sent: Sent[]
  let replies: Replies

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    sent = []
    const start = performance.now()
    const send: ReplySender = (texts, epoch) =>
      sent.push({ at: performance.now() - start, texts: texts.map(String), epoch })
    replies = createReplies({ send, repeat: send })
  })
  afterEach(() => void vi.useRealTimers())

  it('that was ready at once is said again after 20 ms', () => {
    replies.send('small', performance.now(), 1)
    vi.advanceTimersByTime(100)
    expect(sent).toEqual([
      { at: 0, texts: ['small'], epoch: 1 },
      { at: 20, texts: ['small'], epoch: 1 },
    ])
  })

  it('is said again after a call of up to a second, and once after a longer one', () => {
    const arrivedAt = performance.now()
    vi.advanceTimersByTime(1000)
    replies.send('late', arrivedAt, 1)
    vi.advanceTimersByTime(100)
    replies.send('later', arrivedAt, 1)
    vi.advanceTimersByTime(100)
    expect(sent).toEqual([
      { at: 1000, texts: ['late'], epoch: 1 },
      { at: 1020, texts: ['late'], epoch: 1 },
      { at: 1100, texts: ['later'], epoch: 1 },
    ])
  })

  it('is said again together with others, each about 20 ms after the first time', () => {
    for (let n = 0; n < 10; n++) {
      replies.send(`r${n}`, performance.now(), 1)
      vi.advanceTimersByTime(1)
    }
    vi.advanceTimersByTime(100)
    const again = sent.slice(10)
    expect(again.flatMap(({ texts }) => texts)).toEqual(Array.from({ length: 10 }, (_, n) => `r${n}`))
    expect(again.length).toBeLessThanOrEqual(4)
    expect(again.at(-1)?.at).toBeLessThanOrEqual(35)
  })

  it('is not repeated when it belongs to a connection before the last one', () => {
    replies.send('old', performance.now(), 1)
    replies.send('new', performance.now(), 2)
    vi.advanceTimersByTime(100)
    expect(sent.slice(2)).toEqual([{ at: 20, texts: ['new'], epoch: 2 }])
  })

  it('is said the second time at once when everything is flushed', () => {
    replies.send('small', performance.now(), 1)
    replies.flush()
    vi.advanceTimersByTime(100)
    expect(sent.map(({ texts }) => texts)).toEqual([['small'], ['small']])
    replies.send('next', performance.now(), 1)
    vi.advanceTimersByTime(20)
    expect(sent.slice(2).map(({ texts }) => texts)).toEqual([['next'], ['next']])
  })
})

describe('a large reply', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('is held until its call is old enough, without a timer', () => {
    const { clock, replies, sent, waits, turn } = startReplies()
    const arrivedAt = clock.at
    replies.send(HUGE, arrivedAt, 1)
    expect([sent, waits()]).toEqual([[], 1])
    clock.at = arrivedAt + HOLD_MS * 0.9
    turn()
    expect([sent, waits()]).toEqual([[], 1])
    clock.at = arrivedAt + HOLD_MS
    turn()
    expect(sent).toEqual([{ at: clock.at, texts: [HUGE], epoch: 1 }])
    expect([waits(), vi.getTimerCount()]).toEqual([0, 0])
  })

  it('that took its time is said at once', () => {
    const { clock, replies, sent, waits } = startReplies()
    replies.send(LARGE, clock.at - HOLD_MS, 1)
    expect([sent.length, waits()]).toEqual([1, 0])
  })

  it('goes out with all that are due by then, in one go', () => {
    const { clock, replies, sent, turn } = startReplies()
    const texts = Array.from({ length: 100 }, (_, n) => `${n} ${LARGE}`)
    for (const text of texts) replies.send(text, clock.at, 1)
    clock.at += CROWDED_HOLD_MS
    turn()
    expect(sent.map((batch) => batch.texts)).toEqual([texts])
  })

  it('is held longer behind another one that is held, and not behind small ones', () => {
    const { clock, replies, sent, turn } = startReplies()
    const arrivedAt = clock.at
    clock.at += HOLD_MS / 2
    replies.send('small', arrivedAt, 1)
    for (const text of [LARGE, HUGE]) replies.send(text, arrivedAt, 1)
    for (const ageMs of [HOLD_MS, CROWDED_HOLD_MS]) {
      clock.at = arrivedAt + ageMs
      turn()
    }
    expect(sent.map(({ at, texts }) => [at - arrivedAt, ...texts])).toEqual([
      [HOLD_MS / 2, 'small'],
      [HOLD_MS, LARGE],
      [CROWDED_HOLD_MS, HUGE],
    ])
  })

  it('is held longer while others are answered, since it will not be said again', () => {
    const { clock, replies, sent, turn } = startReplies()
    const arrivedAt = clock.at
    replies.send(LARGE, arrivedAt, 1)
    clock.at += HOLD_MS
    turn()
    expect(sent).toHaveLength(1)
    replies.send(HUGE, arrivedAt + HOLD_MS / 2, 1)
    clock.at += HOLD_MS
    turn()
    expect(sent).toHaveLength(1)
    clock.at = arrivedAt + HOLD_MS / 2 + CROWDED_HOLD_MS
    turn()
    expect(sent.slice(1)).toEqual([{ at: clock.at, texts: [HUGE], epoch: 1 }])

    replies.send(LARGE, clock.at, 1)
    clock.at += HOLD_MS
    turn()
    expect(sent).toHaveLength(3)
  })

  it('is said again when none came after it, and when it is not so long that it cannot be too early', () => {
    const { clock, replies, sent, turn } = startReplies()
    const texts = [`first ${LARGE}`, `last ${LARGE}`]
    for (const text of texts) replies.send(text, clock.at, 1)
    clock.at += 20
    turn()
    vi.advanceTimersByTime(20)
    expect(sent.map((batch) => batch.texts)).toEqual([texts, texts.slice(1)])

    replies.send(HUGE, clock.at, 1)
    clock.at += 100
    turn()
    vi.advanceTimersByTime(100)
    expect(sent).toHaveLength(3)
  })

  it('has no receiver when its connection is not the last one', () => {
    const { clock, replies, sent, turn } = startReplies()
    replies.send(`old ${LARGE}`, clock.at, 1)
    replies.send(`new ${LARGE}`, clock.at, 2)
    clock.at += CROWDED_HOLD_MS
    turn()
    expect(sent).toEqual([{ at: clock.at, texts: [`new ${LARGE}`], epoch: 2 }])
  })

  it('is said when everything is flushed, and nothing waits any more', () => {
    const { clock, replies, sent, waits } = startReplies()
    replies.send(HUGE, clock.at, 1)
    replies.send(LARGE, clock.at, 1)
    replies.flush()
    expect(sent.map(({ texts }) => texts)).toEqual([[HUGE, LARGE], [LARGE]])
    expect([waits(), vi.getTimerCount()]).toEqual([0, 0])
    replies.send(HUGE, clock.at, 1)
    expect(waits()).toBe(1)
  })

  const event = fc.oneof(
    fc.record({ kind: fc.constant('send' as const), ageMs: fc.double({ min: 0, max: CROWDED_HOLD_MS, noNaN: true }) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.double({ min: 0, max: CROWDED_HOLD_MS, noNaN: true }) }),
    fc.record({ kind: fc.constant('turn' as const) }),
  )
  /** Sends one that is so old. @returns what it is held for, undefined when it went out at once */
  function hold({ clock, replies, sent }: ReturnType<typeof startReplies>, nth: number, ageMs: number) {
    const text = `${nth} ${LARGE}`
    replies.send(text, clock.at - ageMs, 1)
    if (sent.at(-1)?.texts[0] !== text) return { text, dueAt: clock.at - ageMs + HOLD_MS }
    sent.pop()
    return undefined
  }

  it('is held in its order and never too short, and the loop is kept turning only by what waits', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const stage = startReplies()
        const held: { text: string; dueAt: number }[] = []
        const said = () => stage.sent.flatMap(({ at, texts }) => texts.map((text) => ({ at, text })))
        for (const step of [...events, { kind: 'pass', ms: 2 * CROWDED_HOLD_MS } as const, { kind: 'turn' } as const]) {
          if (step.kind === 'pass') stage.clock.at += step.ms
          else if (step.kind === 'turn') stage.turn()
          else held.push(...[hold(stage, held.length, step.ageMs)].filter((one) => one !== undefined))
          expect(stage.waits()).toBe(Number(said().length < held.length))
        }
        expect(said().map(({ text }) => text)).toEqual(held.map(({ text }) => text))
        expect(said().filter(({ at }, n) => at < (held[n]?.dueAt ?? Infinity))).toEqual([])
      }),
    )
  })
})

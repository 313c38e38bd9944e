import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'
import { createReplies, createReplyGate, type ReplyGate } from './replies.ts'

const MIB = 1024 * 1024

describe('replies on their way', () => {
  let line: { sent: string[]; buffered: number; epoch: number | undefined; stuck: number }
  let gate: ReplyGate

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    line = { sent: [], buffered: 0, epoch: 1, stuck: 0 }
    gate = createReplyGate({
      bufferedBytes: () => line.buffered,
      epoch: () => line.epoch,
      send(texts) {
        line.sent.push(...texts.map(String))
        line.buffered += texts.join('').length
      },
      onStuck: () => {
        line.stuck += 1
      },
    })
  })
  afterEach(() => void vi.useRealTimers())

  it('go out at once while the engine reads', () => {
    gate.send(['a', 'b'], 1)
    gate.send(['c'], 1)
    expect(line.sent).toEqual(['a', 'b', 'c'])
  })

  it('wait, in order, while 4 MiB were not read', () => {
    const large = 'x'.repeat(4 * MIB + 1)
    for (const text of [large, 'b', 'c']) gate.send([text], 1)
    vi.advanceTimersByTime(1000)
    expect(line.sent).toEqual([large])
    line.buffered = 4 * MIB
    vi.advanceTimersByTime(2)
    expect(line.sent).toEqual([large, 'b'])
    line.buffered = 0
    gate.send(['d'], 1)
    vi.advanceTimersByTime(2)
    expect(line.sent.slice(1)).toEqual(['b', 'c', 'd'])
  })

  it('are forgotten with their connection', () => {
    line.buffered = 5 * MIB
    gate.send(['old'], 1)
    line.epoch = undefined
    gate.send(['nowhere'], 1)
    vi.advanceTimersByTime(2)
    line.epoch = 2
    line.buffered = 0
    gate.send(['late'], 1)
    gate.send(['new'], 2)
    expect(line.sent).toEqual(['new'])
  })

  it('that wait are sent when the worker ends', () => {
    line.buffered = 5 * MIB
    gate.send(['a'], 1)
    gate.send(['b'], 1)
    gate.flush()
    expect(line.sent).toEqual(['a', 'b'])
  })

  it('give the connection up when 256 MiB wait, and not before', () => {
    line.buffered = 5 * MIB
    const large = 'x'.repeat(MIB)
    for (let count = 0; count < 256; count += 1) gate.send([large], 1)
    expect(line.stuck).toBe(0)
    gate.send(['x'], 1)
    expect(line.stuck).toBe(1)
    line.buffered = 0
    gate.send(['after'], 1)
    expect(line.sent).toEqual(['after'])
  })

  it('are said again unless so much waits that this could cost the connection', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const replies = createReplies(gate)
    const text = 'x'.repeat(MIB / 32)
    const sendAtOnce = (count: number): number => {
      line.sent.length = 0
      for (let nth = 0; nth < count; nth += 1) replies.send(text, performance.now(), 1)
      do {
        vi.advanceTimersByTime(2)
        line.buffered = Math.max(0, line.buffered - MIB)
      } while (line.buffered > 0 || vi.getTimerCount() > 0)
      return line.sent.length
    }
    expect(sendAtOnce(50 * 32)).toBe(2 * 50 * 32)
    expect(sendAtOnce(255 * 32)).toBe(255 * 32)
    expect(line.stuck).toBe(0)
  })
})

it('a hundred megabytes of replies at once cost nobody the connection, and a call of our own goes out between them', async () => {
  await using stage = await startScriptedStage()
  const { worker, peer } = stage
  const { workerId } = worker
  const large = 'x'.repeat(6 * MIB)
  worker.registerFunction('orders::export', () => large)
  const answers = Array.from({ length: 16 }, () => invoke(peer, 'orders::export', {}))
  void worker.trigger({ function_id: 'orders::other' }).catch(() => undefined)
  await peer.next('invokefunction', (frame) => frame['function_id'] === 'orders::other')
  for (const { result } of await Promise.all(answers)) expect((result as string).length).toBe(large.length)
  expect(worker.workerId).toBe(workerId)
})

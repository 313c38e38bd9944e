import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { invoke, startStage } from '../testing/start-worker.ts'
import { createReplies, type Replies } from './replies.ts'

describe('replies', () => {
  let sent: { at: number; texts: readonly string[]; epoch: number }[]
  let replies: Replies
  const large = 'x'.repeat(9000)

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    sent = []
    const start = performance.now()
    replies = createReplies((texts, epoch) => sent.push({ at: performance.now() - start, texts, epoch }))
  })
  afterEach(() => void vi.useRealTimers())

  it('says a small reply that was ready at once again after 20 ms', () => {
    replies.send('small', performance.now(), 1)
    vi.advanceTimersByTime(100)
    expect(sent).toEqual([
      { at: 0, texts: ['small'], epoch: 1 },
      { at: 20, texts: ['small'], epoch: 1 },
    ])
  })

  it('says a reply that took its time once', () => {
    const arrivedAt = performance.now()
    vi.advanceTimersByTime(6)
    replies.send('small', arrivedAt, 1)
    vi.advanceTimersByTime(100)
    expect(sent).toEqual([{ at: 6, texts: ['small'], epoch: 1 }])
  })

  it('holds a large one back until a millisecond has passed, and says it once', () => {
    replies.send(large, performance.now(), 1)
    expect(sent).toEqual([])
    vi.advanceTimersByTime(100)
    expect(sent).toEqual([{ at: 1, texts: [large], epoch: 1 }])
    const arrivedAt = performance.now()
    vi.advanceTimersByTime(2)
    replies.send(large, arrivedAt, 1)
    expect(sent).toHaveLength(2)
  })

  it('says many again together, each about 20 ms after the first time', () => {
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

  it('does not repeat what belongs to a connection before the last one', () => {
    replies.send('old', performance.now(), 1)
    replies.send('new', performance.now(), 2)
    vi.advanceTimersByTime(100)
    expect(sent.slice(2)).toEqual([{ at: 20, texts: ['new'], epoch: 2 }])
  })

  it('says everything that waits when it is flushed, once', () => {
    replies.send('small', performance.now(), 1)
    replies.send(large, performance.now(), 1)
    replies.flush()
    vi.advanceTimersByTime(100)
    expect(sent.map(({ texts }) => texts)).toEqual([['small'], [large], ['small']])
  })
})

describe('a worker’s replies on the wire', () => {
  it('come twice when small and quick, and never on another connection than the call', async () => {
    await using stage = await startStage()
    stage.worker.registerFunction('a::quick', () => 'now')
    expect(await invoke(stage.peer, 'a::quick', {})).toMatchObject({ result: 'now' })
    expect(await stage.peer.next('invocationresult')).toMatchObject({ result: 'now' })

    await invoke(stage.peer, 'a::quick', {})
    stage.peer.cut()
    const peer = await stage.engine.nextPeer()
    await stage.worker.ready()
    expect(peer.frames.some(({ type }) => type === 'invocationresult')).toBe(false)
  })

  it('come once when large', async () => {
    await using stage = await startStage()
    stage.worker.registerFunction('a::large', () => 'x'.repeat(20_000))
    stage.worker.registerFunction('a::quick', () => 'now')
    await invoke(stage.peer, 'a::large', {})
    await invoke(stage.peer, 'a::quick', {})
    await stage.peer.next('invocationresult')
    expect(stage.peer.frames.filter(({ result }) => typeof result === 'string' && result.length > 10_000)).toHaveLength(
      1,
    )
  })
})

import { describe, expect, it, vi } from 'vitest'
import { createRecordedLog } from '../testing/recorded-log.ts'
import { startScriptedEngine } from '../testing/scripted-engine.ts'
import { registerWorker } from '../worker/register-worker.ts'

const WITHIN = { timeout: 10_000, interval: 5 }

describe('an engine that greets and reads nothing', () => {
  it.each([
    [
      [{ api_path: 'orders/:id', http_method: 'POST' }],
      /nor is \/orders\/:id reached\. Most likely a path .* has broken the engine's HTTP router: .*'panicked at'.*or restart the engine/,
    ],
    [[], /so nothing of it is served\. Look at the load and the log of the engine, and at the network to it/],
  ])('is told once, with what it blocks, and tried anew until it reads: routes %j', async (routes, text) => {
    await using engine = await startScriptedEngine({ answerPings: false })
    const log = createRecordedLog()
    const timings = { toldAfterMs: 10, droppedAfterMs: 60, firstRetryMs: 1, retryMs: 1, pingEveryMs: 20 }
    await using worker = registerWorker(engine.url, { name: 'orders', log, timings })
    for (const config of routes) worker.registerTrigger({ type: 'http', function_id: 'orders::list', config })
    const first = await engine.nextPeer()
    const ready = worker.ready()
    await first.closed
    const second = await engine.nextPeer()
    await second.closed
    const third = await engine.nextPeer()
    await third.next('ping')
    third.send({ type: 'pong' })
    await ready
    const told = log.messages('warn').filter((line) => line.includes('reads nothing of what it sends'))
    expect(told).toEqual([expect.stringMatching(text)])
    expect(log.messages('info')).toContain('the engine reads what this worker sends again')
  })

  it('is no engine that takes its time', async () => {
    await using engine = await startScriptedEngine({ answerPings: false })
    const log = createRecordedLog()
    const timings = { toldAfterMs: 10_000, droppedAfterMs: 20_000 }
    await using worker = registerWorker(engine.url, { name: 'orders', log, timings })
    const peer = await engine.nextPeer()
    await peer.next('ping')
    peer.send({ type: 'pong' })
    await vi.waitFor(() => expect(worker.state).toBe('connected'), WITHIN)
    const ready = worker.ready()
    await peer.next('ping')
    peer.send({ type: 'pong' })
    await ready
    expect([log.messages('warn'), engine.peers.length]).toEqual([[], 1])
  })
})

import { describe, expect, it } from 'vitest'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'
import { HUGE_LENGTH } from './replies.ts'

const HUGE = 'x'.repeat(HUGE_LENGTH)

describe('a worker’s replies on the wire', () => {
  it.each([10, 20_000])(
    'of %i bytes come twice when quick, and never on another connection than the call',
    async (length) => {
      await using stage = await startScriptedStage()
      const result = 'x'.repeat(length)
      stage.worker.registerFunction('a::quick', () => result)
      let calls = 0
      const cameTwice = async () => {
        expect(await invoke(stage.peer, 'a::quick', {})).toMatchObject({ result })
        calls += 1
        return stage.peer.frames.filter(({ result: told }) => told === result).length > calls
      }
      // What a busy machine holds up for some milliseconds is not quick, and comes once.
      await expect.poll(cameTwice, { timeout: 20_000 }).toBe(true)

      await invoke(stage.peer, 'a::quick', {})
      stage.peer.cut()
      const peer = await stage.engine.nextPeer()
      await stage.worker.ready()
      expect(peer.frames.some(({ type }) => type === 'invocationresult')).toBe(false)
    },
  )

  it('come once when they are huge', async () => {
    await using stage = await startScriptedStage()
    stage.worker.registerFunction('a::huge', () => HUGE)
    stage.worker.registerFunction('a::quick', () => 'now')
    await invoke(stage.peer, 'a::huge', {})
    await invoke(stage.peer, 'a::quick', {})
    await stage.peer.next('invocationresult')
    const huge = stage.peer.frames.filter(({ result }) => typeof result === 'string' && result.length >= HUGE_LENGTH)
    expect(huge).toHaveLength(1)
  })
})

import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { manyLooks, QUICK_LOOKS, type Shop, serves, stageShops, standsBy } from '../testing/shops.ts'

const WITHIN = { timeout: 10_000, interval: 5 }
const watchOwnership = { ...QUICK_LOOKS, probeEveryMs: 20, silentAfterMs: 100 }
const all = (who: string) => [who, who, who]

async function stageSilence(engine: '0.22' | '0.23') {
  const shops = await stageShops(() => startMockEngine({ engine }))
  return {
    ...shops,
    open: (who: string, defers = false) => shops.open(who, { watchOwnership, defers }),
    /** From now on nothing of it reaches the engine, until that is taken back; calls still reach it. */
    silence: ({ worker: { workerId = '' } }: Shop) => shops.engine.inject({ fault: 'stop-reading', worker: workerId }),
  }
}

const silences = ({ log }: Shop) => log.messages('warn').filter((text) => text.includes('has not answered since'))

describe('a process whose owner is connected and answers nothing', () => {
  it('serves where the last to register has everything, and goes on when that answers again', async () => {
    await using stage = await stageSilence('0.22')
    const standby = await stage.open('standby')
    const owner = await stage.open('owner')
    await standsBy(standby)
    const hear = stage.silence(owner)
    await serves(standby)
    expect(await stage.servers()).toEqual(all('standby'))
    await vi.waitFor(async () => expect(await stage.route()).toBe('standby'), WITHIN)
    expect(silences(standby)).toEqual([
      expect.stringMatching(/^worker 'shop' \(.*\) has shop::buy, .* is connected and .*Z; this process takes over$/),
    ])
    hear()
    await standsBy(owner)
    await manyLooks(stage)
    expect(await stage.servers()).toEqual(all('standby'))
    expect([silences(standby).length, silences(owner)]).toEqual([1, []])
  })

  it('says why it does not serve where the engine keeps everything for the first, and serves when that is gone', async () => {
    await using stage = await stageSilence('0.23')
    const owner = await stage.open('owner')
    const standby = await stage.open('standby')
    await standsBy(standby)
    const hear = stage.silence(owner)
    await vi.waitFor(() => expect(silences(standby)).toHaveLength(1), WITHIN)
    const { ownership } = standby.worker
    expect(ownership).toMatchObject({ state: 'standby', owner: { pid: process.pid }, silentSince: expect.any(Date) })
    expect(silences(standby)[0]).toMatch(
      /has not answered since \S+Z; this process stands by and cannot serve, because the engine .* End that process \(pid \d+ on .*\), and this one serves$/,
    )
    await manyLooks(stage)
    expect(silences(standby)).toHaveLength(1)
    hear()
    await vi.waitFor(() => expect(standby.worker.ownership.silentSince).toBeUndefined(), WITHIN)
    expect(standby.log.messages('info').join()).toContain('answers again')
    expect(await stage.servers()).toEqual(all('owner'))
    await owner.worker.shutdown()
    await serves(standby)
    expect(await stage.servers()).toEqual(all('standby'))
  })

  it('leaves everything to one of several that stand by', async () => {
    await using stage = await stageSilence('0.22')
    const standbys = [await stage.open('one'), await stage.open('two')]
    const owner = await stage.open('owner')
    await Promise.all(standbys.map(standsBy))
    using _silence = stage.silence(owner)
    await vi.waitFor(() => {
      const states = standbys.map(({ worker }) => worker.ownership.state)
      expect(states.sort()).toEqual(['serving', 'standby'])
    }, WITHIN)
    const serving = standbys.find(({ worker }) => worker.ownership.state === 'serving')
    expect(await stage.servers()).toEqual(all(serving?.who ?? ''))
  })

  it('takes nothing from it where it takes nothing from anybody, and says so', async () => {
    await using stage = await stageSilence('0.22')
    const owner = await stage.open('owner')
    const standby = await stage.open('standby', true)
    await standsBy(standby)
    const hear = stage.silence(owner)
    await vi.waitFor(() => expect(silences(standby)).toHaveLength(1), WITHIN)
    expect(silences(standby)[0]).toContain('this process stands by and takes nothing from it. End that process (pid')
    await manyLooks(stage)
    hear()
    expect(await stage.servers()).toEqual(all('owner'))
    expect(owner.states).toEqual([])
  })
})

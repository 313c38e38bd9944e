import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from './fuzz.ts'
import { startTargets, TARGETS } from './stage.ts'
import { type FuzzTarget, requireNoLeak, requireRpc } from './target.ts'

const ALONE = ['yaml', 'front-matter', 'folders', 'servers']
const soon = () => performance.now() + 60_000

describe('the fuzzer', () => {
  it('tells of a find once, with the seed that shows it again', async () => {
    const told: string[] = []
    const target: FuzzTarget<number> = {
      name: 'numbers',
      input: fc.integer({ min: 0, max: 1_000 }),
      run: (value) => (value > 900 ? Promise.reject(new Error(`${value} is too large`)) : Promise.resolve()),
      serves: () => Promise.resolve(),
    }
    const [first] = await fuzz([target as FuzzTarget], { seed: 5, until: soon(), say: (text) => told.push(text) })
    expect(first?.finds).toEqual([expect.stringMatching(/^Error: 901 is too large[\s\S]*for \[901\]$/)])
    const seed = Number(/--only numbers --seed (\d+):/.exec(told.join())?.[1])
    const [again] = await fuzz([target as FuzzTarget], { seed, until: soon(), say: () => undefined })
    expect([told.length, again?.rounds, again?.finds.length]).toEqual([1, 1, 1])
  })

  it('takes a good request that is not served after a round for a find', async () => {
    const input = fc.constant(1)
    const run = () => Promise.resolve()
    const deaf: FuzzTarget = { name: 'deaf', input, run, serves: () => Promise.reject(new Error('nobody there')) }
    const [found] = await fuzz([deaf], { seed: 1, until: soon(), say: () => undefined })
    expect(found?.finds).toEqual(['after the round: Error: nobody there'])
  })

  it.each(ALONE)('finds nothing in what is tried without processes: %s', async (name) => {
    await using stage = await startTargets([name])
    const targets = stage.targets.map((target) => ({ ...target, values: 20 }))
    const [result] = await fuzz(targets, { seed: 1, until: performance.now() + 1, say: () => undefined })
    expect(result).toMatchObject({ rounds: 1, finds: [] })
  })

  it('knows what is no answer', () => {
    expect(TARGETS).toEqual(expect.arrayContaining(ALONE))
    expect(() => requireNoLeak('no\n    at run (/srv/a.js:3:1)')).toThrow('tells strangers')
    expect(() => requireNoLeak('Unknown tool: at')).not.toThrow()
    expect(() => requireRpc({ jsonrpc: '2.0', id: 1, result: {} })).not.toThrow()
    for (const value of [null, {}, { jsonrpc: '2.0' }, { jsonrpc: '2.0', error: { code: 'x', message: 'y' } }]) {
      expect(() => requireRpc(value)).toThrow('no JSON-RPC response')
    }
  })
})

import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

/** Work that says when it starts and ends, and gives way to others in between. */
function createWork(log: string[]) {
  return (name: string, rounds = 3) =>
    async () => {
      log.push(`${name} starts`)
      for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve))
      log.push(`${name} ends`)
      return name
    }
}

describe('turns', () => {
  it('do work on one id one after the other, in the order asked', async () => {
    const log: string[] = []
    const work = createWork(log)
    const inTurn = createTurns()
    expect(await Promise.all([inTurn('x', work('a')), inTurn('x', work('b', 0))])).toEqual(['a', 'b'])
    expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends'])
  })

  it('do not make one id wait for another', async () => {
    const log: string[] = []
    const work = createWork(log)
    const inTurn = createTurns()
    await Promise.all([inTurn('x', work('a')), inTurn('y', work('b', 0))])
    expect(log.slice(0, 3)).toEqual(['a starts', 'b starts', 'b ends'])
  })

  it('go on after a failure, which only its own caller sees', async () => {
    const inTurn = createTurns()
    const failed = inTurn('x', () => Promise.reject(new Error('no')))
    const done = inTurn('x', async () => 'done')
    await expect(failed).rejects.toThrow('no')
    expect(await done).toBe('done')
  })
})

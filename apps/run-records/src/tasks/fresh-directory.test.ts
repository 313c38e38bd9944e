import { describe, expect, it } from 'vitest'
import type { TaskDirectory } from './directory.ts'
import { createFreshDirectory } from './fresh-directory.ts'

function stage(fails: () => boolean = () => false) {
  let now = 0
  let asked = 0
  const directory: TaskDirectory = {
    async list() {
      asked += 1
      if (fails()) throw new Error('gone')
      return new Map()
    },
    define: async () => new Map(),
    triggers: async () => [],
  }
  const fresh = createFreshDirectory(directory, () => now)
  const pass = (ms: number) => {
    now += ms
  }
  return { fresh, asked: () => asked, pass }
}

describe('a directory for looks', () => {
  it('asks the engine once for all who look at the same time, and for a second', async () => {
    const { fresh, asked, pass } = stage()
    const [one, other] = await Promise.all([fresh.list(), fresh.list()])
    expect(one).toBe(other)
    pass(1_000)
    expect(await fresh.list()).toBe(one)
    expect(asked()).toBe(1)
    pass(1)
    expect(await fresh.list()).not.toBe(one)
    expect(asked()).toBe(2)
  })

  it('asks again about a function that it does not know', async () => {
    const { fresh, asked } = stage()
    await fresh.list()
    await fresh.list(['orders::new'])
    expect(asked()).toBe(2)
  })

  it('does not remember that the engine said nothing', async () => {
    let fails = true
    const { fresh } = stage(() => fails)
    await expect(fresh.list()).rejects.toThrow('gone')
    fails = false
    await expect(fresh.list()).resolves.toEqual(new Map())
  })
})

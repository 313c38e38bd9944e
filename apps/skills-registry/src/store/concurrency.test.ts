import { describe, expect, it } from 'vitest'
import { createKeyedMutex, createLimit } from './concurrency.ts'

/** A piece of work that ends when it is told to, and says in `log` when it starts. */
function createWork(log: string[], name: string) {
  const { promise, resolve, reject } = withResolvers()
  const run = async () => {
    log.push(name)
    await promise
    return name
  }
  return { run, resolve, reject }
}

function withResolvers() {
  let resolve: () => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

describe('a mutex of keys', () => {
  it('run work on one key one after another, in the order asked', async () => {
    const log: string[] = []
    const mutex = createKeyedMutex()
    const [a, b] = [createWork(log, 'a'), createWork(log, 'b')]
    const results = [mutex.run('key', a.run), mutex.run('key', b.run)]
    b.resolve()
    await Promise.resolve()
    expect(log).toEqual(['a'])
    a.resolve()
    expect(await Promise.all(results)).toEqual(['a', 'b'])
    expect(log).toEqual(['a', 'b'])
  })

  it('do not make one key wait for another', async () => {
    const log: string[] = []
    const mutex = createKeyedMutex()
    const [slow, fast] = [createWork(log, 'slow'), createWork(log, 'fast')]
    const first = mutex.run('a', slow.run)
    fast.resolve()
    expect(await mutex.run('b', fast.run)).toBe('fast')
    slow.resolve()
    await first
  })

  it('go on after a failure, which only its own caller sees', async () => {
    const log: string[] = []
    const mutex = createKeyedMutex()
    const [bad, good] = [createWork(log, 'bad'), createWork(log, 'good')]
    const failed = mutex.run('key', bad.run)
    const done = mutex.run('key', good.run)
    bad.reject(new Error('no'))
    good.resolve()
    await expect(failed).rejects.toThrow('no')
    expect(await done).toBe('good')
  })
})

describe('a limit', () => {
  it('starts the next piece of work when one ends, whether well or not', async () => {
    const log: string[] = []
    const limit = createLimit(2)
    const works = ['a', 'b', 'c', 'd'].map((name) => createWork(log, name))
    const [a, b, c, d] = works
    const results = works.map((work) => limit(work.run))
    expect(log).toEqual(['a', 'b'])
    b?.reject(new Error('no'))
    await expect(results[1]).rejects.toThrow('no')
    expect(log).toEqual(['a', 'b', 'c'])
    for (const work of [a, c, d]) work?.resolve()
    expect(await Promise.all([results[0], results[2], results[3]])).toEqual(['a', 'c', 'd'])
  })
})

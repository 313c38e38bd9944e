import { describe, expect, it } from 'vitest'
import { createModel } from './model.ts'
import { createRandom, pick, shuffle } from './random.ts'

describe('a model of what was acknowledged', () => {
  it('lets a read answer what was acknowledged before it began, and what was written meanwhile', () => {
    const model = createModel()
    model.write('a').acknowledged()
    const before = model.expect('a')
    const second = model.write('a')
    const between = model.expect('a')
    second.acknowledged()
    expect([before.judge(1), before.judge(2), between.judge(1)]).toEqual([undefined, undefined, undefined])
    expect(before.judge(3)).toBe('a has version 3, only 2 were ever written')
    expect(model.expect('a').judge(1)).toBe('a has version 1, version 2 was acknowledged')
    expect(before.judge(undefined)).toBe('a is not there, version 1 was acknowledged')
  })

  it('knows nothing of what was never acknowledged', () => {
    const model = createModel()
    const writing = model.write('a')
    expect([model.expect('a').judge(undefined), model.expect('a').judge(1), model.ids()]).toEqual([
      undefined,
      undefined,
      [],
    ])
    expect(model.isWritable('a')).toBe(false)
    writing.acknowledged()
    expect(model.isWritable('a')).toBe(true)
    model.write('a').failed()
    expect(model.isWritable('a')).toBe(false)
  })

  it('forgets what a store has lost that promised no more, also to who reads at that time', () => {
    let now = 0
    const model = createModel(() => now)
    model.write('old').acknowledged()
    now = 10
    model.write('new').acknowledged()
    const reading = model.expect('new')
    model.forget(5)
    expect([model.ids(), reading.judge(undefined)]).toEqual([['old'], undefined])
    model.forget()
    expect(model.ids()).toEqual([])
  })

  it('tells what has been there for some time from what is new, also when it was written anew', () => {
    let now = 0
    const model = createModel(() => now)
    model.write('old').acknowledged()
    now = 900
    for (const id of ['old', 'new']) model.write(id).acknowledged()
    now = 1_000
    expect([model.ids(1_000), model.ids(101), model.ids()]).toEqual([['old'], ['old'], ['old', 'new']])
  })
})

describe('chance', () => {
  it('is the same for a seed', () => {
    const take = (seed: number) => Array.from({ length: 5 }, createRandom(seed))
    expect(take(7)).toEqual(take(7))
    expect(take(7)).not.toEqual(take(8))
    expect(take(7).every((value) => value >= 0 && value < 1)).toBe(true)
    const list = [1, 2, 3, 4, 5]
    expect(shuffle(createRandom(1), list).toSorted()).toEqual(list)
    expect(list).toContain(pick(createRandom(2), list))
    expect(() => pick(createRandom(2), [])).toThrow('nothing to pick from')
  })
})

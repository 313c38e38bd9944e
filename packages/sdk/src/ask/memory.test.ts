import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMemory, MAX_MEMORY_LENGTH, parseMemory, toKept } from './memory.ts'

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const entries = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.option(json, { nil: undefined })), { maxLength: 5 })

describe('what a function that asks remembers', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(entries, entries, (answers, done) => {
        const memory = { answers: new Map(answers), done: new Map(done) }
        const text = formatMemory(memory)
        if (text === undefined) expect(answers.length + done.length).toBe(0)
        else expect(parseMemory(text)).toEqual(memory)
      }),
    )
  })

  it.each([
    '',
    'null',
    '{}',
    '[]',
    '{"answers":[],"done":{}}',
    '{"answers":[[1]],"done":[]}',
    '{"answers":[[]],"done":[]}',
  ])('is not read from %j', (text) => {
    expect(parseMemory(text)).toBeUndefined()
  })

  it('has a limit, and says what the largest part of it is', () => {
    const done = new Map([
      ['small', 'x'],
      ['big', 'x'.repeat(MAX_MEMORY_LENGTH)],
    ])
    expect(() => formatMemory({ answers: new Map(), done })).toThrow(
      /at most 262144 .* the result of once\("big"\) with 262146/,
    )
  })
})

describe('the result of once', () => {
  it('is in the first run what it is in the next', () => {
    expect(toKept({ at: new Date(0), none: undefined }, 'k')).toEqual({ at: '1970-01-01T00:00:00.000Z' })
    expect(toKept(undefined, 'k')).toBeUndefined()
  })

  it('must be something that JSON can hold', () => {
    const text = 'once("price") has to return something that JSON can hold, because the next run gets it from there.'
    expect(() => toKept(1n, 'price')).toThrow(`${text} The result holds a BigInt`)
    expect(() => toKept({ ids: Promise.resolve() }, 'price')).toThrow('The result holds a Promise at ids')
    expect(() => toKept(new Map(), 'price')).toThrow('Object.fromEntries makes an object of it')
  })
})

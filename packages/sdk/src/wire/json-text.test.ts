import { PassThrough, Readable } from 'node:stream'
import { Fault } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkFrameSize, MAX_FRAME_BYTES, MAX_JSON_DEPTH, writeJson } from './json-text.ts'

function nested(levels: number, inner: unknown = 1): unknown {
  let value = inner
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { k: value }
  return value
}

function faultOf(work: () => unknown): Fault {
  try {
    work()
  } catch (error) {
    if (error instanceof Fault) return error
  }
  throw new Error('no fault was thrown')
}

const circle: { self?: unknown } = {}
circle.self = circle

describe('what is sent', () => {
  it('is the JSON text of the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(writeJson(value, 'value')).toBe(JSON.stringify(value))
      }),
    )
  })

  it('never holds a lone surrogate, neither in strings nor in keys', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 0, max: 0xffff }), (text, unit) => {
        const wild = text + String.fromCharCode(unit)
        const sent = JSON.parse(writeJson({ [wild]: wild }, 'value') ?? '') as Record<string, string>
        expect(sent).toEqual({ [wild.toWellFormed()]: wild.toWellFormed() })
      }),
    )
  })

  it('keeps a backslash followed by the letters of a surrogate', () => {
    expect(JSON.parse(writeJson('\\ud83d \\\\ud83d \ud83d', 'value') ?? '')).toBe('\\ud83d \\\\ud83d \ufffd')
  })

  it.each([undefined, { toJSON: () => undefined }])('is nothing for %s, which JSON leaves out', (value) => {
    expect(writeJson(value, 'value')).toBeUndefined()
  })

  it('writes what toJSON returns', () => {
    const self = {
      a: null,
      toJSON() {
        return self
      },
    }
    expect(writeJson({ at: new Date(0), none: null, self }, 'value')).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","none":null,"self":{"a":null}}',
    )
  })
})

describe('what the engine would not read is refused', () => {
  it(`takes ${MAX_JSON_DEPTH} levels and refuses one more`, () => {
    expect(writeJson(nested(MAX_JSON_DEPTH), 'payload')).toBe(JSON.stringify(nested(MAX_JSON_DEPTH)))
    const fault = faultOf(() => writeJson(nested(MAX_JSON_DEPTH + 1), 'payload of a::b'))
    expect(fault.code).toBe('invalid_input')
    expect(fault.message).toBe('The payload of a::b is nested deeper than 126 levels, which the engine does not read')
  })

  it('counts levels, not brackets', () => {
    const wide = { list: Array.from({ length: 1000 }, () => ({ text: '[[[[{{{{' })) }
    expect(writeJson(wide, 'payload')).toBe(JSON.stringify(wide))
  })

  it('refuses a nesting that JSON.stringify itself cannot follow', () => {
    expect(faultOf(() => writeJson(nested(50_000), 'payload')).message).toMatch(/nested deeper than 126 levels/)
  })

  it.each([
    [{ total: Number.NaN }, 'The result holds NaN at total, which is not a JSON number'],
    [{ a: [{ b: Number.POSITIVE_INFINITY }] }, 'The result holds Infinity at a[0].b, which is not a JSON number'],
    [Number.NEGATIVE_INFINITY, 'The result holds -Infinity, which is not a JSON number'],
    [{ toJSON: () => ({ x: Number.NaN }) }, 'The result holds NaN at x, which is not a JSON number'],
  ])('refuses the number in %j', (value, message) => {
    const fault = faultOf(() => writeJson(value, 'result'))
    expect([fault.code, fault.message]).toEqual(['invalid_input', message])
  })

  it.each([
    [{ v: Promise.resolve(1) }, 'The result holds a Promise at v, of which JSON keeps nothing: await it'],
    [[1, Promise.resolve(1)], 'The result holds a Promise at [1], of which JSON keeps nothing: await it'],
    [
      new Map([['a', 1]]),
      'The result holds a Map, of which JSON keeps nothing: Object.fromEntries makes an object of it',
    ],
    [
      { a: { s: new Set() } },
      'The result holds a Set at a.s, of which JSON keeps nothing: Array.from makes a list of it',
    ],
    [
      { error: new TypeError('no /etc/orders/key.pem') },
      'The result holds an Error (no <path>) at error, of which JSON keeps nothing: throw it, or take its message',
    ],
    [() => 1, 'The result is a function, of which JSON keeps nothing: call it'],
    [Symbol('s'), 'The result is a symbol, of which JSON keeps nothing: take its description'],
    [
      { page: new Response('x') },
      'The result holds a Response at page, of which JSON keeps nothing: await its json() or its text()',
    ],
    [
      new URLSearchParams('a=b'),
      'The result holds URLSearchParams, of which JSON keeps nothing: Object.fromEntries makes an object of them',
    ],
    [
      { cups: new Map([['tea', 2]]).values() },
      'The result holds an iterator at cups, of which JSON keeps nothing: Array.from makes a list of it',
    ],
    [
      { at: [new Date('never')] },
      'The result holds an invalid Date at at[0], of which JSON makes null: write null where there is none',
    ],
    [
      { embedding: new Float32Array([0.5]) },
      'The result holds a Float32Array at embedding, of which JSON makes an object: Array.from makes a list of it',
    ],
    [
      new Uint8Array(0),
      "The result holds a Uint8Array, of which JSON makes an object: Buffer.from(…).toString('base64') makes a text of it",
    ],
    [{ by: /tea/i }, 'The result holds a RegExp at by, of which JSON keeps nothing: its source is a text'],
    [
      { order: { lines: [circle] } },
      "The result cannot be written as JSON: Converting circular structure to JSON (property 'self' closes the circle)",
    ],
    [
      (async function* () {})(),
      'The result holds a generator, of which JSON keeps nothing: make a list of what it yields',
    ],
  ])('refuses what JSON keeps nothing of: %o', (value, message) => {
    const fault = faultOf(() => writeJson(value, 'result'))
    expect([fault.code, fault.message]).toEqual(['invalid_input', message])
  })

  it('takes what is empty, and what says something of itself', () => {
    const error = Object.assign(new Error('x'), { code: 'E' })
    const map = Object.assign(new Map(), { toJSON: () => ({ of: {} }) })
    const hidden = { toJSON: () => new Map([['a', 1]]) }
    expect(faultOf(() => writeJson({ hidden }, 'result')).message).toContain('holds a Map at hidden')
    expect(writeJson({ rows: { 0: 'a' }, bytes: Buffer.from('a') }, 'result')).toContain('"type":"Buffer"')
    expect(writeJson({ none: {}, list: [{}], made: Object.create(null), error, map }, 'result')).toBe(
      '{"none":{},"list":[{}],"made":{},"error":{"code":"E"},"map":{"of":{}}}',
    )
  })

  it.each([
    [
      { orders: [{ total: 5n }] },
      'The result holds a BigInt at orders[0].total, which JSON does not have: String(…) makes a text of it',
    ],
    [
      { rows: Readable.from(['a']) },
      'The result holds a stream at rows, of which JSON keeps nothing that was sent: read it first',
    ],
    [new PassThrough(), 'The result holds a stream, of which JSON keeps nothing that was sent: read it first'],
  ])('says where a BigInt or a stream of Node is: %#', (value, says) => {
    expect(faultOf(() => writeJson(value, 'result'))).toMatchObject({ code: 'invalid_input', message: says })
  })

  it('shows no path that a toJSON has thrown', () => {
    const value = {
      toJSON() {
        throw new Error('ENOENT /home/ada/orders.json')
      },
    }
    const { message } = faultOf(() => writeJson(value, 'result'))
    expect(message).toBe('The result cannot be written as JSON: ENOENT <path>')
  })

  it('refuses cycles and bigints with the reason', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    expect(faultOf(() => writeJson(cycle, 'payload')).message).toMatch(
      /^The payload cannot be written as JSON: .*circular/,
    )
    expect(faultOf(() => writeJson({ n: 1n }, 'payload')).message).toMatch(/BigInt/)
  })

  it('refuses a frame over 16 MiB, counted in bytes', () => {
    expect(() => checkFrameSize('x'.repeat(MAX_FRAME_BYTES), 'payload')).not.toThrow()
    const fault = faultOf(() => checkFrameSize('€'.repeat(MAX_FRAME_BYTES / 2), 'payload of a::b'))
    expect([fault.code, fault.message]).toEqual([
      'too_large',
      'The payload of a::b makes a message of 25165824 bytes; the engine takes at most 16777216',
    ])
  })
})

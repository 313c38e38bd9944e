import { Fault } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { parseRawBody, readRawBody } from './raw-body.ts'

function parse(text: string | Uint8Array) {
  return parseRawBody(typeof text === 'string' ? Buffer.from(text) : text)
}

describe('a body that the engine did not parse', () => {
  it('may be JSON all the same', () => {
    expect(parse('{"a":1}')).toEqual({ kind: 'json', value: { a: 1 } })
    expect(parse(' null ')).toEqual({ kind: 'json', value: null })
  })

  it('may be empty', () => {
    expect(parse('')).toEqual({ kind: 'not-json', reason: 'the body is empty' })
  })

  it.each(['{', 'x', '\ufeff{}', '{} trailing', new Uint8Array([0x22, 0xff, 0x22]), new Uint8Array([0x1f, 0x8b, 8])])(
    'is refused for what the engine refuses too: %j',
    (text) => {
      expect(parse(text)).toEqual({ kind: 'not-json', reason: 'the body is not valid JSON' })
    },
  )

  it.each([
    ['{"a":[1e999]}', 'a number beyond 1.8e308'],
    ['{"\\ud83d":1}', 'half a character, such as "\\ud83d" alone'],
    ['{"a":"\\ud83d"}', 'half a character, such as "\\ud83d" alone'],
  ])('is refused for what the engine does not read, in words: %s', (text, what) => {
    const reason = `the body holds ${what}, which the engine does not read`
    expect(parse(text)).toEqual({ kind: 'not-json', reason })
  })

  it.each([128, 5_000, 100_000])('is refused for %d levels', (depth) => {
    expect(parse('['.repeat(depth) + ']'.repeat(depth)).kind).toBe('not-json')
    expect(parse('['.repeat(127) + ']'.repeat(127)).kind).toBe('json')
  })
})

describe('reading such a body', () => {
  const limits = { maxBytes: 10, timeoutMs: 20 }
  const nothing = () => undefined

  it('stops at the limit', async () => {
    const readAll = () => Promise.reject(new Fault('too_large', 'more than 10 bytes'))
    expect(await readRawBody({ readAll, terminate: nothing }, limits)).toEqual({ kind: 'too-large' })
  })

  it('says when the bytes do not come', async () => {
    const readAll = () => Promise.reject(new Error('socket hang up'))
    expect((await readRawBody({ readAll, terminate: nothing }, limits)).kind).toBe('not-json')
  })

  it('does not wait for a client that sends nothing', async () => {
    let cut: (error: Error) => void = nothing
    const readAll = () =>
      new Promise<Buffer>((_, reject) => {
        cut = reject
      })
    const terminate = () => cut(new Error('terminated'))
    const reason = 'the body did not come within 0.02 s'
    expect(await readRawBody({ readAll, terminate }, limits)).toEqual({ kind: 'not-json', reason })
  })
})

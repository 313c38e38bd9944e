import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMessageReader } from './websocket-frames.ts'

/** A frame as a server sends it. */
function toFrame(payload: Buffer, opcode: number, isFinal: boolean): Buffer {
  const { length } = payload
  const head = length < 126 ? Buffer.alloc(2) : Buffer.alloc(length <= 0xffff ? 4 : 10)
  head[0] = (isFinal ? 0x80 : 0) | opcode
  head[1] = length < 126 ? length : length <= 0xffff ? 126 : 127
  if (head.length === 4) head.writeUInt16BE(length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, payload])
}

const [PING, CLOSE] = [9, 8]
const sizes = fc.constantFrom<number[]>(0, 1, 125, 126, 127, 65_535, 65_536, 70_000)

/** A message in frames of these sizes, with a ping behind it. */
function toMessage(parts: readonly number[], letter: string): Buffer {
  const last = parts.length - 1
  const frames = parts.map((size, at) => toFrame(Buffer.alloc(size, letter), at === 0 ? 1 : 0, at === last))
  return Buffer.concat([...frames, toFrame(Buffer.from('?'), PING, true)])
}

function readIn(bytes: Buffer, step: number): string[] {
  const read = createMessageReader()
  const found = ['']
  for (let at = 0; at < bytes.length; at += step) {
    for (const piece of read(bytes.subarray(at, at + step))) {
      found.push(`${found.pop()}${piece.bytes.toString('latin1')}`)
      if (piece.isLast) found.push('')
    }
  }
  return found
}

describe('messages of a server', () => {
  it('come whole out of whatever pieces the bytes are in, and pings are none', () => {
    const message = fc.array(sizes, { minLength: 1, maxLength: 3 })
    const step = fc.oneof(fc.integer({ min: 200, max: 9_000 }), fc.constant(1_000_000))
    fc.assert(
      fc.property(fc.array(message, { maxLength: 3 }), step, (messages, size) => {
        const bytes = Buffer.concat(messages.map((parts, n) => toMessage(parts, 'abc'[n] ?? '')))
        const sums = messages.map((parts, n) => ('abc'[n] ?? '').repeat(parts.reduce((sum, part) => sum + part, 0)))
        expect(readIn(bytes, size)).toEqual([...sums, ''])
      }),
      { numRuns: 50 },
    )
    const short = Buffer.concat([toMessage([130, 0, 3], 'a'), toMessage([0], 'b'), toMessage([5], 'c')])
    expect(readIn(short, 1)).toEqual(['a'.repeat(133), '', 'ccccc', ''])
  })

  it('end with the good-bye of the server', () => {
    expect(() => createMessageReader()(toFrame(Buffer.alloc(2), CLOSE, true))).toThrow('closed')
  })
})

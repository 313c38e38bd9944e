import { PassThrough, Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLineWriter } from './line-writer.ts'

describe('a line writer', () => {
  it('writes each message in one piece with one line end, and JSON stays what it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2, '\n', '\r\n'), async (values, space) => {
        const pieces: string[] = []
        const output = new Writable({
          decodeStrings: false,
          write(piece: string, _, done) {
            pieces.push(piece)
            done()
          },
        })
        const writer = createLineWriter(output)
        for (const value of values) expect(await writer.send(JSON.stringify(value, null, space))).toBe(true)
        expect(pieces.map((piece) => [piece.indexOf('\n'), JSON.parse(piece)])).toEqual(
          pieces.map((piece, index) => [piece.length - 1, JSON.parse(JSON.stringify(values[index]))]),
        )
        expect(pieces).toHaveLength(values.length)
      }),
    )
  })

  it('lets senders wait while the reader is behind, and says when too much waits', async () => {
    const output = new PassThrough({ highWaterMark: 10 })
    const writer = createLineWriter(output)
    const big = JSON.stringify('x'.repeat(3 * 1024 * 1024))
    const sent = [writer.send(big), writer.send(big)]
    let isRoom = false
    void Promise.all(sent).then(() => {
      isRoom = true
    })
    await new Promise(setImmediate)
    expect([isRoom, writer.isFull]).toEqual([false, true])
    output.resume()
    expect(await Promise.all(sent)).toEqual([true, true])
    expect(writer.isFull).toBe(false)
    await writer.flush()
    expect(output.writableLength).toBe(0)
  })

  it('tells everybody who waits, and all who come later, that nobody reads any more', async () => {
    const output = new PassThrough({ highWaterMark: 1 })
    const writer = createLineWriter(output)
    const waiting = [writer.send('"a"'), writer.room(), writer.flush()]
    output.destroy()
    expect(await Promise.all(waiting)).toEqual([false, false, undefined])
    expect(await writer.send('"b"')).toBe(false)
    expect(writer.isFull).toBe(false)
    await writer.flush()
  })
})

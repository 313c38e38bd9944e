import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type StdioStage, startStdioStage } from '../testing/stdio-stage.ts'
import { untilAnswer } from '../testing/until.ts'

/** What a line can hold: a request whose reply is counted, or anything else. */
type Line = { readonly id: string | number } | { readonly bytes: Uint8Array }

const requestId = fc.oneof(fc.string({ maxLength: 40 }), fc.maxSafeInteger())
const nearly = fc
  .record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0', 2),
      method: fc.oneof(
        fc.constantFrom('notifications/cancelled', 'notifications/initialized', 'notifications/x'),
        fc.jsonValue(),
      ),
      params: fc.oneof(fc.record({ requestId: fc.jsonValue() }), fc.jsonValue()),
      result: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  .map((message) => JSON.stringify(message))
const text = fc.oneof(nearly, fc.json(), fc.string(), fc.string({ unit: 'binary' })).map((line) => Buffer.from(line))
const withoutEnd = (bytes: Uint8Array) => bytes.map((byte) => (byte === 10 ? 32 : byte))
const line: fc.Arbitrary<Line> = fc.oneof(
  requestId.map((id) => ({ id })),
  fc
    .oneof(text, fc.uint8Array(), fc.constant(new Uint8Array(3_000).fill(120)))
    .map((bytes) => ({ bytes: withoutEnd(bytes) })),
)

function toBytes(one: Line, index: number): Uint8Array {
  if ('bytes' in one) return one.bytes
  // Ids may come twice; each request has its own echo.
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: one.id, method: 'echo', params: { index } }))
}

async function settle(client: StdioStage): Promise<void> {
  client.send({ id: 'last', method: 'echo', params: { index: 'last' } })
  await client.find(({ result }) => result?.['index'] === 'last')
}

describe('garbage on stdin', () => {
  it('costs nobody else a reply: each request has one with its id, whatever lies between and however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 20 }), fc.integer({ min: 1, max: 5_000 }), async (lines, size) => {
        const client = startStdioStage({ echo: async ({ index }) => ({ index }) }, { maxLineBytes: 2_000 })
        const whole = Buffer.concat(lines.flatMap((one, index) => [toBytes(one, index), Buffer.from('\n')]))
        for (let at = 0; at < whole.length; at += size) client.write(whole.subarray(at, at + size))
        await settle(client)
        const requests = lines.flatMap((one, index) => ('id' in one ? [[one.id, index]] : []))
        const replies = client.messages.flatMap(({ id, result }) =>
          result === undefined ? [] : [[id, result['index']]],
        )
        expect(replies).toEqual([...requests, ['last', 'last']])
        for (const message of client.messages) {
          expect(message.jsonrpc).toBe('2.0')
          if (message.result === undefined) expect(message.error?.code).toBeLessThan(-31_999)
        }
        await client.server.close()
      }),
      { numRuns: 100 },
    )
  })

  it('is not read faster than its errors are taken', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const client = startStdioStage({}, { streams: { input, output } })
    // As long as its error, so that what is kept of the input is not many lines more.
    const piece = `[${' '.repeat(118)}]\n`.repeat(1_000)
    let lines = 0
    for (; !input.isPaused() && lines < 100_000; lines += 1_000) {
      input.write(piece)
      await new Promise(setImmediate)
    }
    expect(lines).toBeLessThan(100_000)
    expect(output.writableLength).toBeLessThan(8 * 1024 * 1024)
    let replies = 0
    output.on('data', (chunk: Buffer) => {
      replies += chunk.toString().split('\n').length - 1
    })
    await untilAnswer(
      () => replies,
      (count) => count === lines,
    )
    await client.server.close()
  })
})

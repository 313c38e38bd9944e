import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatReply, formatResult } from './frames.ts'
import { toMessageText } from './outgoing.ts'
import { createRepeatedBodies } from './repeated-body.ts'

const LIST = `"tools":[${'{"name":"äöü \\u0007 😀"},'.repeat(800)}{}]`

const toReply = (body: string) => ({ status_code: 200, headers: { 'content-type': 'application/json' }, body })
const toList = (id: number) => toReply(`{"jsonrpc":"2.0","id":${id},"result":{${LIST}}}`)

/** How replies of one worker go out. */
function startReplies() {
  const repeated = createRepeatedBodies()
  return (result: unknown) => formatReply('i-1', 'mcp::handler', result, repeated)
}

describe('the body of an HTTP reply that was said before but for its beginning', () => {
  it('is bytes from the third time on, and says what any other reply says', () => {
    const write = startReplies()
    const replies = [11, 12, 13, 14].map((id) => ({ id, message: write(toList(id)) }))
    expect(replies.map(({ message }) => typeof message)).toEqual(['string', 'string', 'object', 'object'])
    for (const { id, message } of replies) {
      expect(JSON.parse(toMessageText(message))).toEqual(JSON.parse(formatResult('i-1', 'mcp::handler', toList(id))))
    }
  })

  it('is written anew when something in it is another', () => {
    const write = startReplies()
    for (let times = 0; times < 4; times += 1) write(toList(11))
    const other = toReply(toList(11).body.replace(/ü([^ü]*)$/, 'u$1'))
    expect(other.body).toHaveLength(toList(11).body.length)
    expect(write(other)).toBe(formatResult('i-1', 'mcp::handler', other))
  })

  it('is well-formed, wherever a character has two halves and where one is missing', () => {
    for (let before = 500; before < 520; before += 1) {
      const write = startReplies()
      const reply = toReply(`${'x'.repeat(before)}😀\ud83d${'y'.repeat(10_000)}\ude00`)
      const [, , third] = [1, 2, 3].map(() => write(reply))
      expect(third).toBeTypeOf('object')
      expect(JSON.parse(toMessageText(third ?? ''))).toEqual(JSON.parse(formatResult('i-1', 'mcp::handler', reply)))
    }
  })

  it('goes with whatever else the reply has, and with nothing', () => {
    const { body } = toList(1)
    for (const others of [{}, { headers: { a: '"' }, more: null }, { status_code: undefined }]) {
      const write = startReplies()
      const [, , third] = [1, 2, 3].map(() => write({ ...others, body }))
      expect(JSON.parse(toMessageText(third ?? ''))).toMatchObject({
        result: JSON.parse(JSON.stringify({ ...others, body })),
      })
    }
  })
})

it('replies in any order say what they would say alone', () => {
  const texts = fc.constantFrom(...[1, 2, 3].map((kind) => `${kind}\n"\\`.repeat(2_500 + (kind % 2))))
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ maxLength: 600 }), texts)), (bodies) => {
      const write = startReplies()
      for (const [head, text] of bodies) {
        const reply = toReply(head + text)
        expect(JSON.parse(toMessageText(write(reply)))).toEqual(JSON.parse(formatResult('i-1', 'mcp::handler', reply)))
      }
    }),
    { numRuns: 50 },
  )
})

it('what is short, is no reply to HTTP or writes itself goes out as text', () => {
  const write = startReplies()
  const long = 'x'.repeat(10_000)
  for (const result of [{ body: 'x' }, long, [long], { body: [long] }, { body: long, toJSON: () => 7 }, null]) {
    for (let times = 0; times < 4; times += 1) expect(write(result)).toBe(formatResult('i-1', 'mcp::handler', result))
  }
})

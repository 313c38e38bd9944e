import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readMessage } from './message.ts'

const text = (line: string) => readMessage(Buffer.from(line))

describe('a line', () => {
  it('is a message, also with a byte order mark, a carriage return or strange line ends within its strings', () => {
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    const expected = { kind: 'request', id: 1, method: 'ping', params: {} }
    for (const line of [ping, `\uFEFF${ping}`, `${ping}\r`, ` ${ping}\t`]) expect(text(line)).toEqual(expected)
    expect(text('{"jsonrpc":"2.0","id":"\u2028","method":"ping"}')).toMatchObject({ id: '\u2028' })
    expect(text('{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}')).toMatchObject({ id: '\ud800' })
  })

  it('is nothing when it is blank', () => {
    for (const line of ['', ' ', '\r', '\t \r', '\uFEFF']) expect(text(line)).toBeUndefined()
  })

  it.each([
    ['broken UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32700],
    ['half a character', Buffer.from([0x22, 0xe2, 0x82, 0x22]), -32700],
    ['a NUL', Buffer.from('\0'), -32700],
    ['a message and a NUL', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}\0'), -32700],
    ['words', Buffer.from('hello'), -32700],
    ['half a message', Buffer.from('{"jsonrpc":"2.0",'), -32700],
    ['two messages', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}{}'), -32700],
    ['a number', Buffer.from('5'), -32600],
    ['a batch', Buffer.from('[{"jsonrpc":"2.0","id":1,"method":"ping"}]'), -32600],
  ])('is refused: %s', (_, line, code) => {
    expect(readMessage(line)).toMatchObject({ kind: 'invalid', id: null, error: { code } })
  })

  it('is refused with its id where it is nested too deeply to be walked', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(text(`{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":${deep}}}`)).toMatchObject({
      kind: 'invalid',
      id: 9,
      error: { code: -32600, message: expect.stringContaining('nested too deeply') },
    })
    expect(text(deep)).toMatchObject({ kind: 'invalid', id: null })
  })

  it('is an answer that cannot be read where that is nested too deeply, and answered by nobody', () => {
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`
    expect(text(`{"jsonrpc":"2.0","id":"stdio/1","result":{"action":"accept","content":{"a":${deep}}}}`)).toEqual({
      kind: 'response',
      id: 'stdio/1',
      result: undefined,
      error: { code: -32600, message: 'the message is nested too deeply (more than 127 levels)' },
    })
  })

  it('never throws, whatever its bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((json) => Buffer.from(json)),
        ),
        (line) => {
          const message = readMessage(line)
          if (message?.kind === 'invalid') expect(message.error.message).not.toMatch(/\n/)
        },
      ),
    )
  })
})

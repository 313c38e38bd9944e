import { describe, expect, it } from 'vitest'
import { createLineReader } from './line-reader.ts'

function read(chunks: readonly (string | Buffer)[], maxBytes = 64) {
  const seen = { lines: [] as string[], noise: 0, tooLong: 0 }
  const reader = createLineReader({
    maxBytes: () => maxBytes,
    onLine: (line) => seen.lines.push(line),
    onNoise: (bytes) => {
      seen.noise += bytes
    },
    onBlank: () => undefined,
    onTooLong: () => {
      seen.tooLong++
    },
  })
  for (const chunk of chunks) reader.push(Buffer.from(chunk))
  return seen
}

describe('the line reader', () => {
  it('puts lines together, however they are cut into chunks', () => {
    const whole = '{"a":1}\n\n  {"b":2}\r\n[3]\n'
    expect(read([whole]).lines).toEqual(['{"a":1}', '{"b":2}\r', '[3]'])
    expect(read([...whole]).lines).toEqual(['{"a":1}', '{"b":2}\r', '[3]'])
  })

  it('begins a line behind white space and a byte order mark, however they are cut into chunks', () => {
    const bytes = Buffer.from('\ufeff{"a":1}\n \t\ufeff {"b":2}\n')
    expect(read([bytes])).toEqual({ lines: ['{"a":1}', '{"b":2}'], noise: 0, tooLong: 0 })
    expect(read(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(read([bytes]))
  })

  it('keeps a character whole that lies in two chunks', () => {
    const bytes = Buffer.from('{"a":"ü€😀"}\n')
    const all = Array.from(bytes, (_, at) => read([bytes.subarray(0, at), bytes.subarray(at)]).lines)
    expect(new Set(all.map(([line]) => line))).toEqual(new Set(['{"a":"ü€😀"}']))
  })

  it('takes a line of just as many bytes as it may have, and stops at the first that has more', () => {
    expect(read([`{${'x'.repeat(63)}\n`]).lines).toHaveLength(1)
    const cut = read([`{${'x'.repeat(40)}`, 'x'.repeat(40), '\n{"later":1}\n'])
    expect(cut).toEqual({ lines: [], noise: 0, tooLong: 1 })
  })

  it('keeps what a line has and no chunk of it, since a byte costs less than a chunk with one in it', () => {
    const lines: string[] = []
    const ignored = () => undefined
    const onLine = (line: string) => void lines.push(line)
    const reader = createLineReader({
      maxBytes: () => 100_000,
      onNoise: ignored,
      onBlank: ignored,
      onTooLong: ignored,
      onLine,
    })
    const text = `{"a":"${'b'.repeat(90_000)}"}\n`
    for (const byte of Buffer.from(text)) {
      const chunk = Buffer.of(byte)
      reader.push(chunk)
      chunk.fill(0)
    }
    expect(lines).toEqual([text.trimEnd()])
  })

  it('keeps nothing of a line that begins like no message', () => {
    expect(read(['hello ', 'x'.repeat(1_000), '\n{"a":1}\n'])).toEqual({ lines: ['{"a":1}'], noise: 1_006, tooLong: 0 })
    expect(read([Buffer.from([0, 255, 10, 0x7b, 0x7d, 10])])).toEqual({ lines: ['{}'], noise: 2, tooLong: 0 })
  })
})

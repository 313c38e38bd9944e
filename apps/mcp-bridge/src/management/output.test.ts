import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createOutput } from './output.ts'

function say(chunks: readonly (string | Uint8Array)[], hidden?: ReadonlyMap<string, string>): string {
  const output = createOutput(hidden)
  const stream = new PassThrough()
  output.listen(stream)
  for (const chunk of chunks) stream.write(chunk)
  stream.read()
  return output.tail()
}

describe('what a worker wrote', () => {
  it('is quoted by its last lines', () => {
    const lines = Array.from({ length: 100_000 }, (_, n) => `line ${n}`)
    expect(say([`${lines.join('\n')}\n\n`]).split('\n')).toEqual(lines.slice(-40))
    expect(say(['x'.repeat(1_000_000)])).toBe('x'.repeat(3_000))
  })

  it('may come in pieces of characters', () => {
    const bytes = Buffer.from('grüße')
    expect(say([bytes.subarray(0, 3), bytes.subarray(3)])).toBe('grüße')
  })

  it('does not say where it lies', () => {
    expect(say(['at /tmp/own/handler.mjs:3'], new Map([['/tmp/own/', '']]))).toBe('at handler.mjs:3')
  })

  it.each([1_500, 40_000])(
    'is cut at the ends of lines alone: a secret is known by what stands before it (%i words)',
    (words) => {
      const tail = say(['before\npassword=hun', `ter2 ${'x '.repeat(words)}`])
      expect(tail).toMatch(/^password=hunter2 x x/)
      expect(tail).toHaveLength(3_000)
    },
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitYaml } from './yaml-parts.ts'

describe('the parts of a YAML text', () => {
  it('are its outermost keys, with what belongs to each', () => {
    const text = '# first\na: 1\n\nb:\n- x\n# of b\n- y\nc:\n  d: 2\ne: [\nf,\n]\ng: {}'
    expect(splitYaml(text)).toEqual([
      { text: '# first', linesBefore: 0 },
      { text: 'a: 1\n', linesBefore: 1 },
      { text: 'b:\n- x\n# of b\n- y', linesBefore: 3 },
      { text: 'c:\n  d: 2', linesBefore: 7 },
      { text: 'e: [\nf,\n]', linesBefore: 9 },
      { text: 'g: {}', linesBefore: 12 },
    ])
  })

  it.each(['{"a": 1,\n"b": }', '# json\n---\n[1]', 'a:\n'.repeat(2_000)])('are none of %.20j', (text) => {
    expect(splitYaml(text)).toEqual([])
  })

  it('are the whole text again, each in its place', () => {
    const line = fc.constantFrom('a: 1', '  b: [', ']', '- c', '# d', '', 'e: {', '}', 'f')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const parts = splitYaml(lines.join('\n'))
        if (parts.length === 0) return
        expect(parts.map(({ text }) => text).join('\n')).toBe(lines.join('\n'))
        for (const { text, linesBefore } of parts) expect(text.split('\n')[0]).toBe(lines[linesBefore] ?? '')
      }),
    )
  })
})

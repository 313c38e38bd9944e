import { describe, expect, it } from 'vitest'
import { readAgentFrontMatter } from './front-matter.ts'

const toText = (yaml: string) => `---\n${yaml}\n---\nText.\n`

describe('front matter', () => {
  it('has the types of YAML 1.2, and nothing of the text below it', () => {
    const yaml = [
      'text: 2026-01-01',
      'words: [yes, no, on, off]',
      'flags: [true, false, null, ~]',
      'numbers: [0, -3, 2.5, 1e3, 0x1f, 9007199254740991]',
      'nested: { list: [{ a: 1 }], none: [] }',
      'emoji: 😀 Grüße',
    ].join('\n')
    expect(readAgentFrontMatter(toText(yaml))).toEqual({
      fields: {
        text: '2026-01-01',
        words: ['yes', 'no', 'on', 'off'],
        flags: [true, false, null, null],
        numbers: [0, -3, 2.5, 1000, 31, 9007199254740991],
        nested: { list: [{ a: 1 }], none: [] },
        emoji: '😀 Grüße',
      },
      rest: 'Text.\n',
    })
  })

  it.each([
    ['name: a\nname: b', /Map keys must be unique/],
    ['a: &x 1\nb: *x', /an alias/],
    ['a: .nan', /the number NaN: quote it/],
    ['a: [.inf]', /the number Infinity: quote it/],
    ['a: { b: -.inf }', /the number -Infinity: quote it/],
    ['a: 9007199254740993', /the number 9007199254740992: quote it/],
    ['a: -9007199254740993', /the number -9007199254740992: quote it/],
    ['- a\n- b', /no mapping/],
    ['only text', /no mapping/],
    ['# nothing', /no mapping/],
    ['a: b: c', /quote a value that has a colon in it/],
    [`a: ${'x'.repeat(16_400)}`, /longer than 16384 characters/],
    [`a: ${'x'.repeat(8_200)}`, /bytes as JSON \(max 8192\)/],
    [`a: ${'['.repeat(20)}${']'.repeat(20)}`, /more than 16 levels/],
  ])('is not used where two could read it otherwise: %.30j', (yaml, problem) => {
    expect(readAgentFrontMatter(toText(yaml))).toEqual({ problem: expect.stringMatching(problem) })
  })

  it.each(['Text.', '--- \nname: a\n---\n', 'x\n---\nname: a\n---\n', '---\nname: a\n', '----\nname: a\n----\n'])(
    'is not in %j',
    (text) => {
      expect(readAgentFrontMatter(text)).toBeUndefined()
    },
  )
})

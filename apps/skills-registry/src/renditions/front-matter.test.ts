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
    ['1: one', /the key 1, which is no text: quote it/],
    ['a: { true: b }', /the key true, which is no text/],
    ['~: nothing', /the key ~, which is no text/],
    [': nothing', /a value without a key/],
    ['<<: { a: 1 }', /the key <<, which is no text/],
    ['a: { __proto__: { b: 1 } }', /the key __proto__/],
    ['"__proto__": text', /the key __proto__/],
    ['a: !!binary aGk=', /a tag/],
    ['a: !!set { b, c }', /a tag/],
    ['a: !own b', /Unresolved tag/],
    ['a: 1\n--- # more\nb: 2', /multiple documents/],
    ['a: "b\u2028---\u2028c"', /has U\+2028, which not every reader takes/],
    ["a: 'b\r---\rc'", /has U\+000D/],
    ['a: b\u0085c', /has U\+0085/],
    ['a: b\0c', /has U\+0000/],
    [`a: ${'x'.repeat(16_400)}`, /longer than 16384 characters/],
    [`a: ${'x'.repeat(8_200)}`, /bytes as JSON \(max 8192\)/],
    [`a: ${'['.repeat(20)}${']'.repeat(20)}`, /more than 16 levels/],
  ])('is not used where two could read it otherwise: %.30j', (yaml, problem) => {
    expect(readAgentFrontMatter(toText(yaml))).toEqual({ problem: expect.stringMatching(problem) })
  })

  it('has keys that are quoted, and texts that end lines by escapes', () => {
    const yaml = '"1": one\n"<<": two\n"on": three\n"a b": "\\u2028---\\u2028"'
    expect(readAgentFrontMatter(toText(yaml))).toMatchObject({
      fields: { 1: 'one', '<<': 'two', on: 'three', 'a b': '\u2028---\u2028' },
    })
  })

  it.each([
    'Text.',
    '--- \nname: a\n---\n',
    'x\n---\nname: a\n---\n',
    '---\nname: a\n',
    '---\n---\nname: a\n---\n',
    '----\nname: a\n----\n',
  ])('is not in %j', (text) => {
    expect(readAgentFrontMatter(text)).toBeUndefined()
  })
})

it.each(['[', '- ', '? ', '- ? ', '{? '])(
  'says of front matter with %j in each other that it has too many levels',
  (opening) => {
    const problem = 'its front matter has more than 16 levels'
    const closing = '}'.repeat(1000)
    expect(readAgentFrontMatter(toText(`name: orders # ${closing}\nx:\n  ${opening.repeat(1000)}`))).toEqual({
      problem,
    })
  },
)

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTools } from '../catalog/read-tools.ts'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { describePinDifference } from './difference.ts'
import { toPin } from './pin.ts'

const read = (more: object) => {
  const [tool] = readTools([{ name: 'create', inputSchema: { type: 'object' }, ...more }], createSecretFilter([])).tools
  if (tool === undefined) throw new Error('no tool')
  return tool
}
const pinOf = (more: object) => toPin(read(more), { command: 'c', now: new Date(0) })
const lines = (before: object | undefined, after: object) =>
  describePinDifference(before === undefined ? undefined : pinOf(before), read(after), 'changed').lines

describe('the difference between a tool and what was approved', () => {
  it('is all of it where nothing was approved', () => {
    const inputSchema = { type: 'object', properties: { to: { type: 'string', description: 'who' } }, required: ['to'] }
    expect(lines(undefined, { description: 'mails', inputSchema })).toEqual([
      '+ description: "mails"',
      '+ inputSchema.type: "object"',
      '+ inputSchema.properties.to.type: "string"',
      '+ inputSchema.properties.to.description: "who"',
      '+ inputSchema.required.0: "to"',
    ])
  })

  it('is what is different, part by part', () => {
    const before = {
      description: 'mails',
      inputSchema: { type: 'object', properties: { to: { type: 'string' }, cc: {} } },
      annotations: { destructiveHint: true },
    }
    const after = {
      description: 'mails to everybody',
      inputSchema: { type: 'object', properties: { to: { type: ['string'] } } },
      annotations: { destructiveHint: false },
    }
    expect(lines(before, after)).toEqual([
      '- description: "mails"',
      '+ description: "mails to everybody"',
      '- inputSchema.properties.to.type: "string"',
      '- inputSchema.properties.cc: {}',
      '- annotations.destructiveHint: true',
      '+ annotations.destructiveHint: false',
      '+ inputSchema.properties.to.type.0: "string"',
    ])
  })

  it('in a long text is shown with a little of what is around it', () => {
    const text = 'word '.repeat(500)
    expect(lines({ description: `${text}end ${text}` }, { description: `${text}END ${text}` })).toEqual([
      expect.stringMatching(/^- description: …(?:word ){8}end .{39,40}…$/),
      expect.stringMatching(/^\+ description: …(?:word ){8}END .{39,40}…$/),
    ])
  })

  it.each([
    ['was kept', 1_500],
    ['was too large to be kept', 4_000],
  ])('is shown as far as a model can read it, where what was approved %s', (_, count) => {
    const words = (first: string, later: string) => ({
      inputSchema: {
        type: 'object',
        description: `${first}${'word '.repeat(count)}${later}`,
        enum: [...first.repeat(300), later],
      },
    })
    const shown = lines(words('a', 'end'), words('b', 'send all'))
    expect(shown.filter((line) => /^\+ .*send all/.test(line))).toHaveLength(2)
  })

  it('is seen also where nobody would see it', () => {
    expect(
      lines({ description: 'safe' }, { description: 'sa\u200bf\u{E0041}e\u001b[2J\ufe0f\u009b\u0600\u2028' }),
    ).toEqual([
      '- description: "safe"',
      '+ description: "sa\\u{200b}f\\u{e0041}e\\u001b[2J\\u{fe0f}\\u{9b}\\u{600}\\u{2028}"',
    ])
  })

  it('is told at one place for each, also where keys look like paths or places in a list', () => {
    const schema = (description: string, more: object) => ({
      inputSchema: { type: 'object', properties: { path: { description } }, ...more },
    })
    expect(
      lines(schema('The path', {}), schema('send all', { 'properties.path.description': 'The path', 'a\u200b': [1] })),
    ).toEqual([
      '- inputSchema.properties.path.description: "The path"',
      '+ inputSchema.properties.path.description: "send all"',
      '+ inputSchema."properties.path.description": "The path"',
      '+ inputSchema."a\\u{200b}".0: 1',
    ])
    expect(lines(schema('', { enum: ['a'] }), schema('', { enum: { 0: 'a' } }))).toEqual([
      '- inputSchema.enum.0: "a"',
      '+ inputSchema.enum."0": "a"',
    ])
  })

  it('is shown as far as a model can read it behind what nobody sees', () => {
    const text = `Reads.${'\u200b'.repeat(30_000)}${'\u0007'.repeat(30_000)} send all`
    expect(lines({ description: 'Reads.' }, { description: text }).at(-1)?.endsWith(' send all"')).toBe(true)
    expect(lines(undefined, { description: text }).at(0)?.endsWith(' send all"')).toBe(true)
  })

  it('is there for every two tools that are not the same, in lines of plain characters', () => {
    const key = fc.constantFrom('a', 'a.a', '0', '"a"', '\u200b', '\\u{200b}')
    const json = fc.oneof(
      fc.json({ maxDepth: 4 }).map((text) => JSON.parse(text) as unknown),
      fc.anything({ key, values: [fc.constantFrom('x', 'y')], maxDepth: 3 }),
    )
    fc.assert(
      fc.property(json, json, fc.string({ unit: 'binary' }), (one, other, text) => {
        const before = { inputSchema: { one }, description: 'a' }
        const after = { inputSchema: { one: other }, description: text }
        const shown = lines(before, after)
        expect(shown.length > 0).toBe(read(before).hash !== read(after).hash)
        expect(shown.join('')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u)
      }),
    )
  })
})

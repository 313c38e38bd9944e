import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AnyOptionTable } from '../options/option-table.ts'
import { toForm, toSeed } from './stored-form.ts'
import { readStored } from './stored-reading.ts'

const table: AnyOptionTable = {
  limit: { yaml: 'limit_ms', schema: z.int().min(1), default: 10, stored: 'any', describe: 'How long.' },
  mode: {
    yaml: 'rules.mode',
    schema: z.enum(['open', 'strict']),
    default: 'open',
    stored: (ours, stored) => (ours === 'strict' ? ours : stored),
    describe: 'Who may.',
  },
  tier: { yaml: 'rules.tier', schema: z.string().min(1).optional(), default: undefined, stored: 'any', describe: 'T.' },
  scope: { yaml: 'scope', schema: z.string(), default: 'a', describe: 'Where the data is.' },
  once: { flag: '--once', schema: z.boolean(), default: false, stored: 'any', describe: 'Has no key.' },
}

function read(value: unknown, isRaw = false) {
  const reading = readStored({ value, isRaw }, table)
  return (
    reading && {
      values: Object.fromEntries([...reading.values].map(([name, one]) => [name, one.value])),
      problems: Object.fromEntries(reading.problems),
      warnings: reading.warnings,
    }
  )
}

const nothing = { values: {}, problems: {}, warnings: [] }

describe('stored settings', () => {
  it('are read by the places of the file', () => {
    expect(read({ limit_ms: 5, rules: { mode: 'strict', tier: 'ops' } })).toEqual({
      ...nothing,
      values: { limit: 5, mode: 'strict', tier: 'ops' },
    })
    expect(readStored({ value: { limit_ms: 5 }, isRaw: false }, table)?.values.get('limit')).toEqual({
      value: 5,
      from: 'store',
      name: 'limit_ms',
    })
  })

  it.each([[null], [undefined], [{}], [{ limit_ms: null }], [{ rules: {} }]])('say nothing with %j', (value) => {
    expect(read(value)).toEqual(nothing)
  })

  it.each([['limit'], [5], [[{ limit_ms: 5 }]], [true]])('are no settings when they are %j', (value) => {
    expect(read(value)).toBeUndefined()
  })

  it('are judged key by key, by the rules of the file', () => {
    expect(read({ limit_ms: 'many', rules: { mode: 'strict' } })).toEqual({
      values: { mode: 'strict' },
      problems: { limit: 'limit_ms: must be a number, not a string' },
      warnings: [],
    })
    expect(read({ rules: { mode: 'opne' } })?.problems).toEqual({
      mode: `rules.mode: must be one of "open", "strict"; did you mean 'open'?`,
    })
    expect(read({ rules: [] })?.warnings).toEqual([expect.stringContaining("unknown key 'rules'")])
  })

  it('have keys that are named when they do not count or nobody knows them', () => {
    expect(read({ scope: 'b', limit: 5, once: true })?.warnings).toEqual([
      "'scope' does not count here: it comes from flags, environment and file alone",
      "unknown key 'limit'; did you mean 'limit_ms'?",
      "unknown key 'once'",
    ])
  })

  it('lack what the engine could not fill in', () => {
    const value = { limit_ms: 5, rules: { tier: '$' + '{TIER}' } }
    expect(read(value, true)).toEqual({
      values: { limit: 5 },
      problems: { tier: 'rules.tier: names a variable that the engine does not have' },
      warnings: [],
    })
  })
})

describe('the form of stored settings', () => {
  it('has titles, descriptions and defaults of what may be stored, and nothing else', () => {
    expect(toForm(table)).toEqual({
      type: 'object',
      properties: {
        limit_ms: {
          title: 'Limit ms',
          type: 'integer',
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          default: 10,
          description: 'How long.',
        },
        rules: {
          title: 'Rules',
          type: 'object',
          properties: {
            mode: {
              title: 'Mode',
              type: 'string',
              enum: ['open', 'strict'],
              default: 'open',
              description: expect.stringMatching(/^Who may\. Stored here, it can be made stricter/),
            },
            tier: { title: 'Tier', type: 'string', minLength: 1, description: 'T.' },
          },
        },
      },
    })
  })

  it('does not exist where nothing may be stored', () => {
    const { scope } = table
    expect(scope && toForm({ scope })).toBeUndefined()
  })

  it('is filled in first with environment and file, as far as it may be stored, without flags', () => {
    const seed = toSeed(
      table,
      new Map([
        ['limit', { value: 7, from: 'flag', name: '--limit' }],
        ['mode', { value: 'strict', from: 'environment', name: 'III_SHOP_RULES_MODE' }],
        ['tier', { value: 'ops', from: 'file', name: 'rules.tier', line: 2 }],
        ['scope', { value: 'b', from: 'file', name: 'scope', line: 3 }],
      ]),
    )
    expect(seed).toEqual({ rules: { mode: 'strict', tier: 'ops' } })
  })
})

import { describe, expect, it } from 'vitest'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { readTools as readWith } from './read-tools.ts'

const filter = createSecretFilter(['s3cret-canary'])
const readTools = (raw: readonly unknown[]) => readWith(raw, filter)

const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more })
const names = (raw: readonly unknown[]) => readTools(raw).tools.map(({ name }) => name)
const hashOf = (entry: object) => readTools([entry]).tools[0]?.hash

describe('a list of tools', () => {
  it('is read as it was received, with a hash of what a model reads and a host decides by', () => {
    const entry = tool('a', { title: 'A', description: 'does', outputSchema: {}, annotations: { readOnlyHint: true } })
    const [read] = readTools([entry]).tools
    expect(read?.definition).toBe(entry)
    expect(read?.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(hashOf({ ...entry, icons: [], execution: { taskSupport: 'optional' }, _meta: { a: 1 } })).toBe(read?.hash)
    for (const change of [
      { title: 'B' },
      { description: 'does ' },
      { outputSchema: { type: 'object' } },
      { inputSchema: { type: 'object', properties: {} } },
      { annotations: {} },
    ]) {
      expect(hashOf({ ...entry, ...change })).not.toBe(read?.hash)
    }
  })

  it('loses every tool of a name that comes twice, also where only one of them is whole', () => {
    const { tools, diagnostics } = readTools([
      tool('a'),
      tool('b'),
      tool('a', { title: 'other' }),
      tool('c'),
      { name: 'c' },
    ])
    expect(tools.map(({ name }) => name)).toEqual(['b'])
    expect(diagnostics.map(({ message, subject }) => [subject, message])).toEqual([
      ['a', 'the tool "a" comes more than once in the list of the server, and is left out each time'],
      ['c', 'the tool "c" comes more than once in the list of the server, and is left out each time'],
    ])
  })

  it.each([
    [null, 'a tool is no object; a tool is one with a name and an inputSchema'],
    [tool(''), 'a tool has no name; a tool needs one'],
    [{ name: 7 }, 'a tool has no name; a tool needs one'],
    [tool('x'.repeat(1_025)), /has a name of more than 1024 characters$/],
    [tool('a\ud800'), 'the tool "a\ufffd" has half of a surrogate pair in its name'],
    [tool('\u200b\u0000'), 'a tool has a name of which nothing can be seen'],
    [{ name: 'a' }, 'the tool "a" has no inputSchema that is an object'],
    [tool('a', { inputSchema: [] }), 'the tool "a" has no inputSchema that is an object'],
    [tool('a', { title: 1 }), 'the tool "a" has a title that is no text'],
    [tool('a', { description: {} }), 'the tool "a" has a description that is no text'],
    [tool('a', { annotations: 'none' }), 'the tool "a" has annotations that are no object'],
    [
      tool('a', { description: 'x'.repeat(1_048_577) }),
      'the tool "a" is larger than 1 MiB or nested deeper than 100 levels',
    ],
    [tool('\u001b[31ma\nb'), undefined],
    [tool('__proto__'), undefined],
    [tool('x'.repeat(300)), undefined],
    [tool('a', { title: null, description: null, annotations: null, outputSchema: null }), undefined],
  ])('says of %j: %s', (entry, message) => {
    const { tools, diagnostics } = readTools([entry])
    expect(tools).toHaveLength(message === undefined ? 1 : 0)
    if (message === undefined) expect(diagnostics).toEqual([])
    else if (typeof message === 'string') expect(diagnostics[0]?.message).toBe(message)
    else expect(diagnostics[0]?.message).toMatch(message)
  })

  it('is kept without the secrets of the server, and a tool with one in its name is left out', () => {
    const { tools, diagnostics } = readTools([
      tool('a', { description: 'uses s3cret-canary', _meta: { token: 's3cret-canary' } }),
      tool('b-s3cret-canary'),
    ])
    expect(tools.map(({ definition }) => definition)).toEqual([
      tool('a', { description: 'uses <secret>', _meta: { token: '<secret>' } }),
    ])
    expect(tools[0]?.hash).toBe(hashOf(tool('a', { description: 'uses <secret>' })))
    expect(diagnostics).toEqual([
      {
        code: 'tool_left_out',
        subject: 'b-<secret>',
        message: 'the tool "b-<secret>" has a secret of its server in its name',
      },
    ])
  })

  it('of ten thousand tools is read at once, and of ten thousand bad ones some are named', async () => {
    const toTools = (length: number) =>
      Array.from({ length }, (_, at) => tool(`t${at}`, { description: 'd'.repeat(200) }))
    const many = toTools(10_000)
    expect(names(many)).toHaveLength(10_000)
    await expect(names).toTakeLinearTime(toTools, 10_000)
    const { diagnostics } = readTools(many.map(({ name }) => ({ name })))
    expect(diagnostics).toHaveLength(51)
    expect(diagnostics.at(-1)?.message).toBe('9950 more tools are left out for reasons like these')
  })
})

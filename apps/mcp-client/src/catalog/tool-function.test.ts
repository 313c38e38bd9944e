import { readMcpMetadata } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { toConfig } from '../testing/server-config.ts'
import { compareFunctions } from './function-changes.ts'
import { readTools } from './read-tools.ts'
import { type Presentation, toFunctions } from './tool-function.ts'

const config: Presentation = toConfig({ name: 'github' })
const filter = createSecretFilter(['s3cret-canary'])
const object = { type: 'object', properties: { a: { type: 'string' } } }
const tool = (more: object = {}) => ({ name: 'create', inputSchema: object, ...more })
const read = (raw: readonly object[], more: Partial<Presentation> = {}) =>
  toFunctions({ ...config, ...more }, readTools(raw, filter).tools, filter)
const only = (more: object, presentation: Partial<Presentation> = {}) => read([tool(more)], presentation).functions[0]

describe('the function for a tool', () => {
  it('has what the server says and what the configuration says, and nothing else', () => {
    expect(
      only(
        {
          title: 'Create',
          description: 'Creates.',
          outputSchema: object,
          icons: [{ src: 'https://x' }],
          _meta: { a: 1 },
        },
        { expose: true, tier: 'internal' },
      ),
    ).toEqual({
      tool: 'create',
      id: 'github::create',
      description: 'Creates.',
      request_format: object,
      response_format: object,
      metadata: {
        'mcp.title': 'github: Create',
        'mcp.expose': true,
        'mcp.tier': 'internal',
        'runs.record': 'digest',
        'mcp_client.server': 'github',
        'mcp_client.tool': 'create',
      },
      timeoutMs: 76_000,
    })
  })

  it('says nothing of exposure when the configuration does not, and has its name for a title when it has none', () => {
    expect(only({})?.metadata).toEqual({
      'mcp.title': 'github: create',
      'runs.record': 'digest',
      'mcp_client.server': 'github',
      'mcp_client.tool': 'create',
    })
    expect(only({})).toMatchObject({ description: '', response_format: undefined })
  })

  it('has visible texts of bounded length, without secrets', () => {
    const fn = only({
      title: `a\u200b\nb\u001b[31mc`,
      description: `s3cret\u200b-canary${'\u{E0041}'.repeat(9)}${'é'.repeat(5_000)}`,
      inputSchema: { type: 'object', description: 'is s3cret-canary\u202e', properties: {} },
    })
    expect(fn?.metadata['mcp.title']).toBe('github: a bc')
    expect(fn?.description).toMatch(/^<secret>é+…$/)
    expect(Buffer.byteLength(fn?.description ?? '')).toBeLessThanOrEqual(4_096)
    expect(fn?.request_format).toEqual({ type: 'object', description: 'is <secret>', properties: {} })
  })

  it.each([
    ['stricter', { destructiveHint: true, openWorldHint: true, readOnlyHint: false }],
    ['as-is', { destructiveHint: true, openWorldHint: true, readOnlyHint: false, idempotentHint: true }],
    ['none', undefined],
  ] as const)('with annotations %s has these hints: %j', (annotations, expected) => {
    const hints = {
      destructiveHint: true,
      openWorldHint: true,
      readOnlyHint: false,
      idempotentHint: true,
      title: 'x',
      other: 1,
    }
    expect(readMcpMetadata(only({ annotations: hints }, { annotations })?.metadata).annotations).toEqual(expected)
  })

  it('does not take over a hint that makes hosts careless', () => {
    const hints = { destructiveHint: false, openWorldHint: false, readOnlyHint: true, idempotentHint: true }
    expect(only({ annotations: hints })?.metadata).not.toHaveProperty(['mcp.annotations'])
  })

  it.each([
    [{ execution: { taskSupport: 'required' } }, 'can only be called as an MCP task, which is not supported'],
    [{ inputSchema: {} }, "is left out: its inputSchema has no type 'object' at its root"],
    [{ inputSchema: { type: 'string' } }, "is left out: its inputSchema has no type 'object' at its root"],
    [
      { inputSchema: { type: 'object', properties: { a: { $ref: 'https://evil.example/a.json' } } } },
      'is left out: its inputSchema cannot be shown: the reference "https://evil.example/a.json" leads out of the schema',
    ],
    [
      {
        inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { $ref: '#/$defs/b' } } },
      },
      'is left out: its inputSchema cannot be shown: the reference "#/$defs/b" goes round in a circle',
    ],
    [
      { inputSchema: { type: 'object', description: 'x'.repeat(70_000) } },
      'is left out: its inputSchema has 70034 bytes, more than 65536',
    ],
    [
      { inputSchema: { type: 'object', anyOf: Array.from({ length: 1_001 }, () => ({ type: 'object' })) } },
      'is left out: its inputSchema cannot be shown: it has more than 1000 subschemas',
    ],
  ])('is left out with %j', (more, problem) => {
    const { functions, diagnostics } = read([tool(more), { ...tool(), name: 'other' }])
    expect(functions.map(({ tool: name }) => name)).toEqual(['other'])
    expect(diagnostics).toEqual([{ code: 'tool_left_out', subject: 'create', message: `the tool "create" ${problem}` }])
  })

  it('may have a schema that contains itself', () => {
    const inputSchema = {
      type: 'object',
      properties: { child: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    }
    expect(only({ inputSchema })?.request_format).toEqual(inputSchema)
  })

  it('has no schema of results that others could not be shown', () => {
    expect(only({ outputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } })).toMatchObject({
      response_format: undefined,
    })
    expect(only({ outputSchema: { type: 'array' } })).toMatchObject({ response_format: undefined })
  })

  it('is not made of a tool that the configuration does not allow, and that one is no problem', () => {
    expect(read([tool()], { tools: { allow: ['*'], deny: ['create'] } })).toEqual({ functions: [], diagnostics: [] })
  })
})

describe('the functions of a server', () => {
  it('lack all tools that would have one id', () => {
    const folded =
      toFunctions(config, readTools([{ ...tool(), name: 'a.b' }], filter).tools, filter).functions[0]?.id ?? ''
    const imitation = folded.replace('github::', '')
    const { functions, diagnostics } = read([tool(), { ...tool(), name: 'a.b' }, { ...tool(), name: imitation }])
    expect(functions.map(({ id }) => id)).toEqual(['github::create'])
    expect(diagnostics).toEqual([
      { code: 'tool_left_out', subject: folded, message: `several tools would be ${folded}; they are all left out` },
    ])
  })

  it('are the same whatever else the server has, and in whatever order', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 70 }), { maxLength: 12 })
    fc.assert(
      fc.property(names, names, (some, more) => {
        const make = (list: readonly string[]) => read(list.map((name) => ({ ...tool(), name }))).functions
        const all = make([...new Set([...more, ...some])].reverse())
        const { changed, gone } = compareFunctions(make(some), all)
        expect(changed).toEqual([])
        // Only a name that imitates the hash of another one takes it away.
        expect(gone.every(({ id }) => more.some((name) => id.endsWith(name)))).toBe(true)
        expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
      }),
    )
  })
})

describe('the difference between two lists of functions', () => {
  it('names what is new, what is another one now, and what is gone', () => {
    const before = read([tool(), { ...tool(), name: 'same' }, { ...tool(), name: 'old' }]).functions
    const after = read([
      { ...tool(), name: 'new' },
      { ...tool(), name: 'same' },
      tool({ description: 'other' }),
    ]).functions
    const { added, changed, gone } = compareFunctions(before, after)
    expect([added, changed, gone].map((list) => list.map(({ id }) => id))).toEqual([
      ['github::new'],
      ['github::create'],
      ['github::old'],
    ])
    expect(changed[0]?.description).toBe('other')
  })
})

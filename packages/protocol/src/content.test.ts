import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toResultData, toToolError, toToolResult } from './content.ts'
import { ContentBlock } from './content-block.ts'

const text = (value: string) => [{ type: 'text', text: value }]

describe('what a function returned', () => {
  it.each<[unknown, unknown]>([
    ['plain', { content: text('plain') }],
    ['', { content: text('') }],
    ['a\ud800', { content: text('a\ufffd') }],
    [undefined, { content: text('') }],
    [null, { content: text('null') }],
    [42, { content: text('42') }],
    [true, { content: text('true') }],
    [[1, 2], { content: text('[1,2]') }],
    [{ id: 7 }, { content: text('{"id":7}'), structuredContent: { id: 7 } }],
    [{}, { content: text('{}'), structuredContent: {} }],
    [{ a: '\ud800' }, { content: text('{"a":"\ufffd"}'), structuredContent: { a: '\ufffd' } }],
    [new Date(0), { content: text('"1970-01-01T00:00:00.000Z"') }],
  ])('as %j becomes a tool result', (value, result) => {
    expect(toToolResult(value)).toEqual(result)
  })

  it.each<[unknown, unknown]>([
    ['plain', { result: 'plain' }],
    [undefined, { result: null }],
    [null, { result: null }],
    [42, { result: 42 }],
    [[1], { result: [1] }],
    [{ id: 7 }, { id: 7 }],
    [{ content: text('a'), structuredContent: { id: 7 } }, { id: 7 }],
    [{ content: text('a') }, { content: text('a') }],
    [{ content: text('a'), isError: true }, undefined],
  ])('as %j has data when an output schema asks for it', (value, data) => {
    expect(toToolResult(value, { hasOutputSchema: true }).structuredContent).toEqual(data)
  })

  it('passes when it is a tool result already', () => {
    const result = {
      content: [
        { type: 'text', text: 'a', annotations: { priority: 1 } },
        { type: 'image', data: 'AA==', mimeType: 'image/png' },
        { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'iii://orders', name: 'orders' },
        { type: 'resource', resource: { uri: 'iii://orders', text: '# Orders' } },
      ],
      structuredContent: { id: 7 },
      isError: false,
      _meta: { trace: 'x' },
    }
    expect(toToolResult(result)).toEqual(result)
    expect(toToolResult({ content: [], isError: true })).toEqual({ content: [], isError: true })
    expect(toToolResult({ content: [] })).toEqual({ content: [] })
  })

  it('passes without what is malformed or unknown beside its content', () => {
    const value = { content: text('a\ud800'), structuredContent: [1], isError: 'yes', _meta: 1, extra: true }
    expect(toToolResult(value)).toEqual({ content: text('a\ufffd') })
  })

  it('passes without remarks that clients would refuse the whole result for', () => {
    const link = { type: 'resource_link', uri: 'a:b', name: 'a' }
    const audience = { audience: 'everyone', priority: 7 }
    const content = [
      { type: 'text', text: 'a', annotations: audience, _meta: 'm', own: 1 },
      { ...link, size: '5', title: 7, icons: [{ theme: 'dark' }], description: 'd', mimeType: null },
      { type: 'resource', resource: { uri: 'a:b', text: 'a', mimeType: 5, _meta: { trace: 'x' } }, annotations: [] },
    ]
    expect(toToolResult({ content })).toEqual({
      content: [
        { type: 'text', text: 'a', own: 1 },
        { ...link, description: 'd' },
        { type: 'resource', resource: { uri: 'a:b', text: 'a', _meta: { trace: 'x' } } },
      ],
    })
    const lines = { type: 'image', data: 'AAAA\nAA==\n', mimeType: 'image/png' }
    expect(toToolResult({ content: [{ ...lines, annotations: { lastModified: 'yesterday' } }] })).toEqual({
      content: [lines],
    })
  })

  it.each([
    [{ content: 'a' }],
    [{ content: [1] }],
    [{ content: [{ text: 'a' }] }],
    [{ content: [{ type: 'text' }] }],
    [{ content: [{ type: 'paragraph', text: 'a' }] }],
    [{ content: [...text('a'), null] }],
    [{ content: [], total: 0 }],
    [{ content: [{ id: 1 }], total: 1 }],
    [{ content: [{ type: 'image', data: 'no base64!', mimeType: 'image/png' }] }],
    [{ content: [{ type: 'audio', data: 'a-_b', mimeType: 'audio/wav' }] }],
    [{ content: [{ type: 'resource', resource: { uri: 'a:b', blob: 'A' } }] }],
  ])('is data when its content is not MCP content: %j', (value) => {
    expect(toToolResult(value)).toEqual({ content: text(JSON.stringify(value)), structuredContent: value })
  })

  it('is an error when JSON cannot hold it', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    const refusal = { content: text('Error: the function returned a value that JSON cannot hold'), isError: true }
    expect(toToolResult(cycle)).toEqual(refusal)
    expect(toToolResult(10n)).toEqual(refusal)
    expect(toToolResult({ content: [{ type: 'text', text: 'a', cycle }] })).toEqual(refusal)
  })

  it('always becomes a tool result that clients accept', () => {
    const values = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withMap: true }),
      fc.record({
        content: fc.anything(),
        structuredContent: fc.anything(),
        isError: fc.anything(),
        _meta: fc.anything(),
      }),
    )
    fc.assert(
      fc.property(values, fc.boolean(), (value, hasOutputSchema) => {
        const result = toToolResult(value, { hasOutputSchema })
        for (const block of result.content) expect(ContentBlock.safeParse(block).success).toBe(true)
        if (hasOutputSchema && result.isError !== true) expect(result.structuredContent).toBeTypeOf('object')
        expect(Array.isArray(result.structuredContent)).toBe(false)
        expect(JSON.stringify(result)).not.toMatch(/(?<!\\)\\ud/)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('a failure', () => {
  it('is a text that begins with Error', () => {
    expect(toToolError('no such order')).toEqual({ content: text('Error: no such order'), isError: true })
  })

  it('shows neither stack nor path', () => {
    const message = 'boom /home/me/x.js\n    at f (/home/me/x.js:1:2)\n    at async g'
    expect(toToolError(message).content).toEqual(text('Error: boom <path>'))
  })
})

describe('what a schema of results is about', () => {
  it.each([
    [{ id: 7 }, { data: { id: 7 } }],
    [undefined, { data: undefined }],
    [[1], { data: [1] }],
    [{ content: [], structuredContent: { id: 7 } }, { data: { id: 7 } }],
    [{ content: text('a') }, { data: { content: text('a') } }],
    [{ content: [], total: 0 }, { data: { content: [], total: 0 } }],
    [{ content: text('a'), isError: true }, undefined],
    [{ result_type: 'input_required', input_requests: {} }, undefined],
    [{ result_type: 'protocol_error', code: 1, message: 'a' }, undefined],
  ])('is what clients hold against it: %j', (value, owed) => {
    expect(toResultData(value)).toEqual(owed)
  })
})

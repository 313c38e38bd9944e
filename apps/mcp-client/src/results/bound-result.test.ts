import { ContentBlock, checkDepth } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { boundResult } from './bound-result.ts'

const filter = createSecretFilter([])
const MIB = 1_048_576
const bound = (result: unknown, resultBytes = MIB) => boundResult(result, { resultBytes }, filter)
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
/** As JSON writes it; behind another backslash the same letters are a text. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud/
const text = (content: string) => ({ type: 'text', text: content })

describe('the result of a tool', () => {
  it('is handed on as it is when nothing is wrong with it', () => {
    const result = {
      content: [text('hello'), { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations: { priority: 1 } }],
      structuredContent: { a: [1, null, { __proto__: null, b: 'c' }] },
      isError: false,
      _meta: { 'example.com/trace': 'abc' },
    }
    expect(bound(result)).toEqual(result)
    expect(bound(result).content[0]).toBe(result.content[0])
  })

  it.each([
    [{ task: { taskId: 'one', status: 'working' } }, '{"task":{"taskId":"one","status":"working"}}'],
    [{ toolResult: 7, _meta: { a: 1 }, isError: false }, '{"toolResult":7}'],
    [{ content: null, structuredContent: [1] }, '{"structuredContent":[1]}'],
  ])('shows what stands in the place of content: %j', (result, shown) => {
    expect(bound(result).content).toEqual([text(shown)])
  })

  it('is empty where the server said nothing', () => {
    expect(
      [{}, { isError: false }, { content: null }, { structuredContent: {} }].map((one) => bound(one).content),
    ).toEqual([[], [], [], []])
  })

  it('has null in the place of a number that this process cannot tell anybody', () => {
    const result = JSON.parse('{"content":[],"structuredContent":{"n":1e400,"list":[-1e400,1]}}') as unknown
    expect(bound(result).structuredContent).toEqual({ n: null, list: [null, 1] })
  })

  it('keeps head and tail of a text that is too long, and says how much is missing', () => {
    const { content } = bound({ content: [text(`HEAD${'x'.repeat(3 * MIB)}TAIL`)] })
    const [only] = content as [{ text: string }]
    expect(content).toHaveLength(1)
    expect(only.text).toMatch(/^HEADx+\n\[… (\d+) bytes are left out here …\]\nx+TAIL$/)
    const missing = Number(/\d+/.exec(only.text)?.[0])
    expect(only.text.replace(/\n\[.*\]\n/, '').length + missing).toBe(3 * MIB + 8)
    expect(bytes({ content })).toBeGreaterThan(MIB - 2_048)
  })

  it('never cuts through a character', () => {
    const { content } = bound({ content: [text('😀é\n"'.repeat(1_000))] }, 2_000)
    const [only] = content as [{ text: string }]
    expect(only.text.isWellFormed()).toBe(true)
    expect(only.text).toMatch(/^😀é\n"/)
    expect(only.text).toMatch(/😀é\n"$/)
  })

  it('keeps short texts whole beside a long one', () => {
    const { content } = bound({ content: [text('first'), text('y'.repeat(MIB)), text('last')] }, 4_096)
    expect([content[0], content[2]]).toEqual([text('first'), text('last')])
    expect(content[1]?.['text']).toContain('bytes are left out here')
  })

  it('has pictures whole or mentions them', () => {
    const image = (size: number) => ({ type: 'image', data: 'A'.repeat(size), mimeType: 'image/png' })
    const { content } = bound({ content: [image(2_000), image(40_000), text('what it shows')] }, 10_000)
    expect(content).toEqual([
      image(2_000),
      text(expect.stringMatching(/^\[image content of 40\d+ bytes is left out: it is too large\]$/)),
      text('what it shows'),
    ])
  })

  it('loses its data when that is too much, and keeps the text', () => {
    const result = { content: [text('short')], structuredContent: { rows: 'z'.repeat(5_000) } }
    const remark = text(
      '[The result was too large: the structured content is left out. Ask for less: a part, a page, or a filter.]',
    )
    expect(bound(result, 4_096)).toEqual({ content: [text('short'), remark] })
    const promised = boundResult(result, { resultBytes: 4_096, hasOutputSchema: true }, filter)
    expect(promised).toEqual({ content: [text('short'), remark], isError: true })
  })

  it('loses data that lies too deep, and keeps the other levels of blocks', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)
    const { content, structuredContent } = bound({ content: [text('a'), deep], structuredContent: deep })
    expect(structuredContent).toBeUndefined()
    expect(content).toHaveLength(3)
    expect(content[1]?.['text']).toContain('[nested too deeply]')
  })

  it('has at most 100 levels, wherever they are', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(150)}1${'}'.repeat(150)}`)
    const links = { type: 'resource_link', uri: 'a:b', name: 'c', more: deep }
    for (const result of [
      { content: [deep, links] },
      { content: [], structuredContent: deep },
      { content: [], _meta: deep },
    ]) {
      expect(checkDepth(bound(result), { maxDepth: 100 })).toBeUndefined()
    }
  })

  it('has at most 256 blocks', () => {
    const { content } = bound({ content: Array.from({ length: 10_000 }, (_, at) => text(String(at))) })
    expect(content).toHaveLength(256)
    expect(content[254]).toEqual(text('254'))
    expect(content[255]?.['text']).toContain('9745 more blocks of content are left out')
  })

  it('shows blocks that no client knows as text', () => {
    const { content } = bound({ content: [{ type: 'video', url: 'x' }, 'plain', null, { type: 'text' }] })
    expect(content.map((block) => block['type'])).toEqual(['text', 'text', 'text', 'text'])
    expect(content[0]?.['text']).toBe('{"type":"video","url":"x"}')
    expect(content[1]?.['text']).toBe('plain')
  })

  it('has the one block or the text that some servers give in place of a list', () => {
    expect(bound({ content: text('alone') })).toEqual({ content: [text('alone')] })
    expect(bound({ content: 'bare' })).toEqual({ content: [text('bare')] })
    expect(bound({ content: null, isError: true })).toEqual({ content: [], isError: true })
    expect(bound({ content: null, isError: 'yes' })).toEqual({ content: [] })
  })

  it('has no picture and no file with a secret in it', () => {
    const data = Buffer.from(`\0\0Token s3cret-canary\0`).toString('base64')
    const blocks = [
      { type: 'image', data, mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'a:1', blob: data } },
    ]
    const canary = createSecretFilter(['s3cret-canary'])
    const { content } = boundResult({ content: blocks }, { resultBytes: MIB }, canary)
    const toRemark = (what: string) =>
      text(`[${what} content is left out: what it holds is no base64, or held a secret]`)
    expect(content).toEqual([toRemark('image'), toRemark('binary')])
  })

  it('says nothing of the connection that it came by', async () => {
    const _meta = { 'io.modelcontextprotocol/related-task': { taskId: '1' }, 'mcp.dev/x': 1, other: 2 }
    expect(bound({ content: [], _meta })).toEqual({ content: [], _meta: { other: 2 } })
    expect(bound({ content: [], _meta: { other: 'x'.repeat(9_000) } })).toEqual({ content: [] })
    const drop = (key: string) => expect(bound({ content: [], _meta: { [key]: 1 } })).toEqual({ content: [] })
    await expect(drop).toTakeLinearTime((count) => `c${'.mcp.'.repeat(count)}`, 50_000)
  })

  it('is not looked through for secrets where nothing of it can be kept', () => {
    const seen: unknown[] = []
    const watching = {
      ...filter,
      value<T>(value: T): T {
        seen.push(value)
        return value
      },
    }
    const ask = (data: object) =>
      boundResult({ content: [], structuredContent: data }, { resultBytes: 1_024 }, watching)
    const large = [
      { many: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, 0])) },
      { list: Array.from({ length: 600 }, () => 0) },
      { ['k'.repeat(1_100)]: 0 },
    ]
    for (const data of large) {
      expect(ask(data).content).toEqual([text(expect.stringContaining('structured content is left out') as string)])
    }
    expect(seen).toEqual([])
    for (const data of [{ list: Array.from({ length: 480 }, () => 0) }, { ['k'.repeat(900)]: null }]) {
      expect(ask(data).structuredContent).toEqual(data)
    }
  })

  it('is well-formed', () => {
    expect(bound({ content: [text('a\ud800b')], structuredContent: { 'k\udc00': '\ud800' } })).toEqual({
      content: [text('a\ufffdb')],
      structuredContent: { 'k\ufffd': '\ufffd' },
    })
  })
})

describe('whatever a server answers', () => {
  const string = fc.oneof(fc.string({ maxLength: 2_000, unit: 'binary' }), fc.string({ maxLength: 5_000 }))
  const extras = { annotations: fc.json().map((json) => JSON.parse(json) as unknown), junk: string }
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text: string, ...extras }, { requiredKeys: ['type', 'text'] }),
    fc.record({
      type: fc.constantFrom('image', 'audio'),
      data: fc.base64String({ maxLength: 4_000 }),
      mimeType: string,
    }),
    fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: string, text: string }) }),
    fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: string, blob: fc.base64String() }) }),
    fc.record({ type: fc.constant('resource_link'), uri: string, name: string }),
    fc.json().map((json) => JSON.parse(json) as unknown),
  )
  const result = fc.oneof(
    fc.record(
      {
        content: fc.array(block, { maxLength: 300, size: '+1' }),
        structuredContent: fc.json().map((json) => JSON.parse(json) as unknown),
        isError: fc.boolean(),
        _meta: fc.dictionary(fc.string(), fc.json()),
      },
      { requiredKeys: [] },
    ),
    fc.json().map((json) => JSON.parse(json) as unknown),
  )
  const limit = fc.integer({ min: 1_024, max: 20_000 })

  it('the result is within its bounds, valid, and stays as it is the second time', () => {
    const secrets = createSecretFilter(['hunter2hunter2'])
    fc.assert(
      fc.property(result, limit, fc.boolean(), (answer, resultBytes, hasOutputSchema) => {
        const bounds = { resultBytes, hasOutputSchema }
        const once = boundResult(answer, bounds, secrets)
        expect(bytes(once)).toBeLessThanOrEqual(resultBytes)
        expect(once.content.length).toBeLessThanOrEqual(256)
        expect(JSON.stringify(once)).not.toMatch(LONE_SURROGATE)
        for (const one of once.content) expect(ContentBlock.safeParse(one).success).toBe(true)
        expect(boundResult(once, bounds, secrets)).toEqual(once)
      }),
      { numRuns: 60 },
    )
  })
})

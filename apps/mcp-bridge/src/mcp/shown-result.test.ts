import { startMockEngine } from '@iii/mock-engine'
import { type ToolResult, toToolResult } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startBridge } from '../testing/bridge.ts'
import { startSkillsWorker } from '../testing/skills-worker.ts'
import { toBrief, toLimited, toShownResult } from './shown-result.ts'

const link = { type: 'resource_link' as const, uri: 'iii://fn/orders/list', name: 'orders::list' }
const facts = { hasOutputSchema: false, takes: () => ['status', 'limit'], link: () => link }

function sizeOf(result: unknown): number {
  return Buffer.byteLength(JSON.stringify(result))
}

describe('a result that is not too large', () => {
  it('is handed on as it is', () => {
    const block = { type: 'text' as const, text: 'é'.repeat(2_000), annotations: { priority: 1 }, _meta: { a: 1 } }
    const image = { type: 'image' as const, data: 'x'.repeat(90_000), mimeType: 'image/png' }
    for (const result of [{ content: [block, image], _meta: { b: 2 } }, toToolResult({ a: 'x'.repeat(1_000) })]) {
      expect(toLimited(result, facts, 100_000)).toBe(result)
    }
  })
})

describe('a result that is too large', () => {
  it('has its data written once to be measured, which takes seconds where it has many members', () => {
    let written = 0
    const data = {
      toJSON() {
        written += 1
        return { id: 7 }
      },
    }
    const result = { content: [{ type: 'text' as const, text: 'x'.repeat(9_000) }], structuredContent: data }
    const { structuredContent } = toShownResult(
      result,
      () => facts,
      { capabilities: {}, revision: '2025-11-25' },
      5_000,
    )
    expect([structuredContent, written]).toEqual([undefined, 1])
  })

  it('is cut between characters, and says how much is gone and where the whole is', () => {
    const { content, structuredContent } = toLimited(toToolResult('😀'.repeat(10_000)), facts, 20_000)
    const [note, ...rest] = content as { type: string; text: string; uri?: string }[]
    const text = rest.at(-1)
    expect([text?.text.isWellFormed(), text?.text.startsWith('😀😀'), structuredContent]).toEqual([
      true,
      true,
      undefined,
    ])
    expect(note?.text).toBe(
      '[This result is cut, it was too large: about 19 KiB of 39 KiB follow. The whole can be read at iii://fn/orders/list.]',
    )
    expect(rest[0]).toEqual(link)
  })

  it('says with which arguments there is less where the whole is nowhere', () => {
    const { content } = toLimited(toToolResult('x'.repeat(9_000)), { ...facts, link: () => undefined }, 5_000)
    expect(content).toHaveLength(2)
    expect(content[0]).toMatchObject({
      text: expect.stringMatching(/Ask for less, or for the rest, with what it takes: status, limit\.\]$/),
    })
  })

  it('loses its data, and is a failure where clients were promised it', () => {
    const result = toToolResult({ list: 'x'.repeat(9_000) })
    const cut = toLimited(result, facts, 5_000)
    expect([cut.structuredContent, cut.isError]).toEqual([undefined, undefined])
    expect(JSON.stringify(cut.content)).toMatch(/the structured content is left out/)
    expect(toLimited(result, { ...facts, hasOutputSchema: true }, 5_000).isError).toBe(true)
  })

  it('is measured with its data, also where the text beside it is short', () => {
    const data = { list: 'x'.repeat(9_000) }
    for (const text of ['{\n}', '{}', 'short']) {
      const cut = toLimited({ content: [{ type: 'text', text }], structuredContent: data }, facts, 5_000)
      expect(cut.structuredContent).toBeUndefined()
    }
  })

  it('is cut between elements where it is JSON', () => {
    const orders = Array.from({ length: 900 }, (_, nth) => ({ id: `ORD-${nth}`, note: 'x'.repeat(100) }))
    const { content } = toLimited(toToolResult({ orders }), facts, 50_000)
    const shown = JSON.parse((content.at(-1) as { text: string }).text) as { orders: unknown[] }
    expect(shown.orders.length).toBeGreaterThan(200)
    expect(shown.orders).toEqual(orders.slice(0, shown.orders.length))
    expect(content[0]).toMatchObject({ text: expect.stringMatching(/^\[This result is cut/) })
  })

  it('keeps what fits, in order: pictures are there or not', () => {
    const image = (length: number) => ({ type: 'image' as const, data: 'x'.repeat(length), mimeType: 'image/png' })
    const text = { type: 'text' as const, text: 'after' }
    const { content } = toLimited({ content: [image(1_000), image(9_000), text] }, facts, 5_000)
    expect(content.slice(-2)).toEqual([image(1_000), text])
  })

  it.each<[string, ToolResult]>([
    ['the result', { content: [{ type: 'text', text: 'after' }], _meta: { a: '"'.repeat(9_000) } }],
    ['a text', { content: [{ type: 'text', text: 'after', _meta: { a: '"'.repeat(9_000) } }] }],
    ['a picture', { content: [{ type: 'image', data: 'AAAA', mimeType: 'x'.repeat(9_000) }] }],
  ])('is one also by what is said beside %s', (_, result) => {
    const cut = toLimited(result, facts, 5_000)
    expect(sizeOf(cut)).toBeLessThanOrEqual(5_000)
    expect(cut.content[0]).toMatchObject({ text: expect.stringMatching(/^\[This result is cut/) })
    if (result.content[0]?.type === 'text') expect(cut.content.at(-1)).toEqual({ type: 'text', text: 'after' })
  })

  it('keeps what is said beside it where that is short', () => {
    const said = { _meta: { a: 1 }, annotations: { priority: 1 } }
    const text = { type: 'text' as const, text: 'x'.repeat(9_000), ...said }
    const cut = toLimited({ content: [text], _meta: { b: 2 } }, facts, 5_000)
    expect(cut).toMatchObject({ _meta: { b: 2 } })
    expect(cut.content.at(-1)).toMatchObject({ type: 'text', ...said })
    expect(sizeOf(cut)).toBeLessThanOrEqual(5_000)
  })

  it('is never too large any more', () => {
    const block = fc.oneof(
      fc.record({ type: fc.constant('text' as const), text: fc.string({ unit: 'binary', maxLength: 3_000 }) }),
      fc.record({
        type: fc.constant('image' as const),
        data: fc.string({ maxLength: 3_000 }),
        mimeType: fc.constant('i'),
      }),
    )
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), (content) => {
        const limited = toLimited({ content }, facts, 4_000)
        const shown = limited.content.reduce(
          (sum, each) =>
            sum + Buffer.byteLength('text' in each ? String(each.text) : 'data' in each ? String(each.data) : ''),
          0,
        )
        expect(shown).toBeLessThanOrEqual(4_000)
      }),
    )
  })
})

describe('a result of many blocks', () => {
  it('is too large although nothing is in them', () => {
    const content = Array.from({ length: 50_000 }, () => ({ type: 'text' as const, text: '' }))
    const cut = toLimited({ content }, facts, 100_000)
    expect(sizeOf(cut)).toBeLessThanOrEqual(100_000)
    expect(cut.content[0]).toMatchObject({ text: expect.stringMatching(/^\[This result is cut/) })
  })
})

describe('what a client is shown of a result', () => {
  const text = JSON.stringify({ list: 'x'.repeat(9_000) })
  const result = { content: [{ type: 'text' as const, text }], structuredContent: JSON.parse(text) }

  it('is cut only where it is too large without what the client does not read', () => {
    const revision = '2025-11-25'
    const reads = { revision, capabilities: { experimental: { 'iii/structured-content': {} } } }
    expect(toShownResult(result, () => facts, reads, 10_000)).toMatchObject({
      structuredContent: { list: 'x'.repeat(9_000) },
    })
    expect(toShownResult(result, () => facts, { revision, capabilities: {} }, 10_000).structuredContent).toBeUndefined()
  })

  it('is measured as it is shown: a block that its revision does not have takes the room of its words', () => {
    const old = { revision: '2024-11-05', capabilities: {} }
    const audio = (data: string) => ({ type: 'audio' as const, data, mimeType: 'audio/wav' })
    const said = { type: 'text' as const, text: 'x'.repeat(6_000) }
    const beside = toShownResult({ content: [audio('A'.repeat(9_000)), said] }, () => facts, old, 10_000)
    expect(beside.content).toEqual([expect.objectContaining({ type: 'text' }), said])
    const many = toShownResult({ content: Array.from({ length: 300 }, () => audio('')) }, () => facts, old, 10_000)
    const texts = many.content.map((block) => (block.type === 'text' ? block.text : block))
    expect(texts.join('').length).toBeLessThan(10_000)
    expect(texts).toContain(`${link.name}: ${link.uri}`)
  })
})

describe('the limit of the operator', () => {
  it('holds for calls of tools, and what is linked is whole', async () => {
    await using engine = await startMockEngine()
    await using _registry = await startSkillsWorker(engine.url)
    await using bridge = await startBridge(engine, { options: { maxResultBytes: 2_048 } })
    bridge.other.registerFunction('orders::list', () => 'x'.repeat(10_000))
    await bridge.other.ready()
    const result = await bridge.call('orders__list')
    expect(sizeOf(result)).toBeLessThan(3_000)
    expect(result.content[1]).toMatchObject({ type: 'resource_link', uri: 'iii://fn/orders/list' })
    bridge.set({ maxResultBytes: 20_000 })
    expect((await bridge.call('orders__list')).content).toHaveLength(1)
  })
})

const reader = { capabilities: { experimental: { 'iii/structured-content': {} } } }
const order = { id: 'a-1', customer: 'Ada', status: 'cancelled', total: 250 }
const brief = [{ type: 'text', text: 'The result is in structuredContent.' }]
const long = 'x'.repeat(100)

it.each([
  ['JSON', toToolResult(order)],
  [
    'JSON with spaces',
    toToolResult({ content: [{ type: 'text', text: JSON.stringify(order, null, 2) }], structuredContent: order }),
  ],
  ['a text that a schema calls a result', toToolResult(long, { hasOutputSchema: true })],
  ['a list that a schema calls a result', toToolResult([order], { hasOutputSchema: true })],
])('a text that says the data again, %s, is one line for a client that reads the data', (_, result) => {
  expect(toBrief(result, reader)).toEqual({ ...result, content: brief })
  for (const experimental of [undefined, true, {}, { 'iii/structured-content': true }]) {
    expect(toBrief(result, { capabilities: { experimental } })).toBe(result)
  }
})

it.each([
  ['is short', toToolResult({ ok: true })],
  ['says something else', toToolResult({ content: [{ type: 'text', text: long }], structuredContent: order })],
  ['has no data', toToolResult(JSON.stringify(order))],
  [
    'stands beside others',
    toToolResult({
      content: toToolResult([order]).content.concat(toToolResult(long).content),
      structuredContent: order,
    }),
  ],
  ['is of a failure', toToolResult({ ...toToolResult(order), isError: true })],
])('a text stays that %s', (_, result) => {
  expect(toBrief(result, reader)).toBe(result)
})

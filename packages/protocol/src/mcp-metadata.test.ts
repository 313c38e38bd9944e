import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { McpMetadata, readMcpMetadata } from './metadata.ts'

const whole: McpMetadata = {
  expose: true,
  tier: 'ops',
  title: 'Refund an order',
  icons: [{ src: 'https://example.com/refund.svg', mimeType: 'image/svg+xml', sizes: ['any'], theme: 'dark' }],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  timeout_ms: 5000,
  task: 'optional',
  resource: { uri: 'orders://today', name: 'today', mimeType: 'application/json' },
  template: { uriTemplate: 'orders://{id}', name: 'order', mimeType: 'application/json' },
  complete: 'orders::complete',
  cancel: 'orders::cancel_call',
}
const flat = Object.fromEntries(Object.entries(whole).map(([key, value]) => [`mcp.${key}`, value]))

describe('the mcp metadata of a function', () => {
  it('is the same in both spellings', () => {
    expect(readMcpMetadata({ mcp: whole })).toEqual(whole)
    expect(readMcpMetadata(flat)).toEqual(whole)
    expect(readMcpMetadata({ ...flat, mcp: { title: 'other', expose: false } })).toEqual(whole)
  })

  it('has no list of more than a thousand entries, whose mistakes would take seconds to be told', () => {
    const icon = { src: 'https://example.com/refund.svg' }
    const icons = (count: number) => Array.from({ length: count }, () => icon)
    expect(readMcpMetadata({ mcp: { icons: icons(1_000), title: 'Refund' } }).icons).toHaveLength(1_000)
    expect(readMcpMetadata({ mcp: { icons: icons(1_001), title: 'Refund' } })).toEqual({ title: 'Refund' })
  })

  it('mixes the spellings field by field, the flat one first', () => {
    const metadata = { 'mcp.tier': 'ops', 'mcp.title': null, mcp: { tier: 'dev', title: 'Refund' } }
    expect(readMcpMetadata(metadata)).toEqual({ tier: 'ops', title: 'Refund' })
  })

  it.each([
    ['expose', 'yes'],
    ['tier', 7],
    ['title', {}],
    ['icons', [{ src: 'javascript:alert(1)' }]],
    ['icons', { src: 'https://example.com' }],
    ['annotations', true],
    ['timeout_ms', 0],
    ['timeout_ms', -5],
    ['timeout_ms', 1.5],
    ['timeout_ms', 2 ** 31],
    ['timeout_ms', '5000'],
    ['task', 'maybe'],
    ['resource', { name: 'no address' }],
    ['template', 'orders://{id}'],
    ['complete', ''],
    ['cancel', null],
  ])('leaves out a malformed %s (%j) and keeps the rest', (field, value) => {
    const { [field as keyof McpMetadata]: _, ...rest } = whole
    expect(readMcpMetadata({ mcp: { ...whole, [field]: value } })).toEqual(rest)
    expect(readMcpMetadata({ mcp: rest, [`mcp.${field}`]: value })).toEqual(rest)
  })

  it('leaves out a malformed hint and keeps the others', () => {
    const metadata = { mcp: { annotations: { readOnlyHint: true, destructiveHint: 'no', title: 'x' } } }
    expect(readMcpMetadata(metadata)).toEqual({ annotations: { readOnlyHint: true } })
  })

  it('is read from anything without an error', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.record({ mcp: fc.anything(), 'mcp.icons': fc.anything() })),
        (metadata) => {
          expect(McpMetadata.safeParse(readMcpMetadata(metadata)).success).toBe(true)
        },
      ),
    )
  })

  it('is not read from a prototype', () => {
    expect(readMcpMetadata(Object.create({ mcp: whole }))).toEqual({})
    expect(readMcpMetadata({ mcp: Object.create(whole) })).toEqual({})
  })
})

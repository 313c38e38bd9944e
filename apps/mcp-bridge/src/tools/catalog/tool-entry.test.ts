import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../../auth/principal.ts'
import type { FunctionDetail } from '../../gate/directory.ts'
import { toKey } from '../../gate/sight.ts'
import { toHolder } from '../../testing/principals.ts'
import { toToolEntry, toToolRow } from './tool-entry.ts'

function tool(detail: Partial<FunctionDetail>): Record<string, unknown> {
  const whole = {
    id: 'orders::create',
    description: undefined,
    requestSchema: undefined,
    responseSchema: undefined,
    metadata: undefined,
    ...detail,
  }
  return JSON.parse(toToolEntry(whole).json.inlined) as Record<string, unknown>
}

function row(detail: Partial<FunctionDetail>, principal = EVERYBODY): unknown {
  const nothing = { description: undefined, requestSchema: undefined, responseSchema: undefined }
  const entry = toToolEntry({ id: 'orders::refund', metadata: undefined, ...nothing, ...detail })
  expect(toToolRow(entry, 'shared', principal)).toBe(toToolRow(entry, 'inlined', principal))
  return JSON.parse(toToolRow(entry, 'inlined', principal))
}

describe('the row of a tool that names its skill', () => {
  const metadata = { mcp: { skill: 'orders/refunds' } }
  const told = { name: 'orders__refund', _meta: { 'iii/skill': 'iii://orders/refunds' } }

  it('tells its address, in both spellings', () => {
    expect(row({ metadata })).toMatchObject(told)
    expect(row({ metadata: { 'mcp.skill': 'orders/refunds' } })).toMatchObject(told)
  })

  it('tells it those alone whose grant reads the skill', () => {
    expect(row({ metadata }, toHolder('all'))).toMatchObject(told)
    expect(row({ metadata }, toHolder('some', { skills: ['orders'] }))).toMatchObject(told)
    const hidden = row({ metadata }, toHolder('others', { skills: ['billing'] }))
    expect(hidden).toEqual(row({}))
    expect(hidden).not.toHaveProperty('_meta')
  })

  it.each([['Orders'], ['fn/orders'], ['skills'], ['a"b'], ['../a'], [''], [7]])(
    'says nothing of %j, which is no id',
    (skill) => {
      expect(row({ metadata: { mcp: { skill } } })).toEqual(row({}))
    },
  )

  it('says nothing where the tool is of another namespace, whose skills have no address here', () => {
    const id = toKey({ namespace: 'tea', id: 'orders::refund' })
    expect(row({ id, metadata })).toEqual(row({ id }))
  })
})

describe('a tool', () => {
  it('is a function with its name, description and schemas', () => {
    const requestSchema = { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] }
    const responseSchema = { type: 'object', properties: { id: { type: 'string' } } }
    expect(tool({ description: 'Creates an order.', requestSchema, responseSchema })).toEqual({
      name: 'orders__create',
      description: 'Creates an order.',
      inputSchema: requestSchema,
      outputSchema: responseSchema,
    })
  })

  it('is described by its title or its id when nobody wrote anything', () => {
    expect(tool({})['description']).toBe('orders::create')
    expect(tool({ description: '  ' })['description']).toBe('orders::create')
    expect(tool({ metadata: { 'mcp.title': 'New order' } })).toMatchObject({
      title: 'New order',
      description: 'New order',
    })
  })

  it('shows title, hints and icons of the metadata in both spellings', () => {
    const icons = [{ src: 'https://example.com/i.png', mimeType: 'image/png' }]
    const nested = { mcp: { title: 'New order', annotations: { readOnlyHint: false, destructiveHint: true }, icons } }
    const flat = { 'mcp.title': 'New order', 'mcp.annotations': nested.mcp.annotations, 'mcp.icons': icons }
    for (const metadata of [nested, flat]) {
      expect(tool({ metadata })).toMatchObject({
        title: 'New order',
        annotations: { title: 'New order', readOnlyHint: false, destructiveHint: true },
        icons,
      })
    }
  })

  it('shows short texts without what nobody sees, and small pictures', () => {
    const { title, description, annotations, icons } = tool({
      description: `Pay\u202e \u001b[1mnow\u001b[0m.\n${'x'.repeat(5_000)}`,
      metadata: {
        'mcp.title': `Pay\u200b\n${'y'.repeat(300)}`,
        'mcp.annotations': { readOnlyHint: true },
        'mcp.icons': [{ src: `data:image/png;base64,${'A'.repeat(70_000)}` }],
      },
    })
    expect(description).toMatch(/^Pay now\.\nx{4080,4085}…$/)
    expect(title).toMatch(/^Pay y{248,250}…$/)
    expect(annotations).toEqual({ title, readOnlyHint: true })
    expect(icons).toBeUndefined()
    expect(tool({ description: '\u200b', metadata: { 'mcp.title': '\u200b' } })).toEqual(tool({}))
  })

  it('is told apart from what was registered', () => {
    const detail = { id: 'x::y', description: undefined, metadata: undefined }
    const requestSchema = { type: 'object', required: 'sku' }
    const responseSchema = { type: 'object', properties: [] }
    expect(toToolEntry({ ...detail, requestSchema, responseSchema })).toMatchObject({
      hasOutputSchema: true,
      problems: [
        'request_format: required must be a list of strings',
        'response_format: properties must be an object with schemas',
      ],
    })
    const hopeless = { type: 'object', $ref: 'https://x.example' }
    expect(toToolEntry({ ...detail, requestSchema, responseSchema: hopeless })).toMatchObject({
      hasOutputSchema: false,
    })
  })

  it('has a name of its own when its id is not canonical', () => {
    expect(tool({ id: 'reports.daily' })['name']).toMatch(/^reports_daily___[0-9a-f]{8}$/)
  })
})

import { describe, expect, it } from 'vitest'
import type { FunctionDetail } from '../directory.ts'
import { toToolEntry } from './tool-entry.ts'

function tool(detail: Partial<FunctionDetail>): Record<string, unknown> {
  const whole = {
    id: 'orders::create',
    description: undefined,
    requestSchema: undefined,
    responseSchema: undefined,
    metadata: undefined,
    ...detail,
  }
  return JSON.parse(toToolEntry(whole).json) as Record<string, unknown>
}

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

  it('has a name of its own when its id is not canonical', () => {
    expect(tool({ id: 'reports.daily' })['name']).toMatch(/^reports_daily___[0-9a-f]{8}$/)
  })
})

import { describe, expect, it } from 'vitest'
import type { Pass } from '../gate/index.ts'
import { toResultFacts } from './result-facts.ts'

const schema = { type: 'object', properties: { status: {}, limit: {} } }
const pass = {
  functionId: 'orders::list',
  metadata: {},
  detail: { id: 'orders::list', requestSchema: schema },
} as unknown as Pass

const read = (own: Partial<Pass> = {}, hasInput = false, hasReader = true) =>
  toResultFacts({ pass: { ...pass, ...own }, hasOutputSchema: false, hasInput, hasReader })

describe('what is told of a result that is too large', () => {
  it('is what the function takes, and its address', () => {
    expect(read().takes()).toEqual(['status', 'limit'])
    expect(read().link()).toEqual({ type: 'resource_link', uri: 'iii://fn/orders/list', name: 'orders::list' })
    expect(read({ namespace: 'shop' }).link()?.uri).toBe('iii://fn/@shop/orders/list')
  })

  it.each<[string, Partial<Pass>, boolean]>([
    ['had arguments', {}, true],
    ['changes something', { metadata: { annotations: { readOnlyHint: false } } }, false],
    ['may destroy something', { metadata: { annotations: { destructiveHint: true } } }, false],
    ['has no address', { functionId: 'orders.list' }, false],
  ])('is no address where the call %s', (_, own, hasInput) => {
    expect(read(own, hasInput).link()).toBeUndefined()
  })

  it('is no address where nobody reads sections', () => {
    expect(read({}, false, false).link()).toBeUndefined()
  })

  it('is nothing that no schema says', () => {
    expect(read({ detail: { ...pass.detail, requestSchema: true } }).takes()).toEqual([])
  })
})

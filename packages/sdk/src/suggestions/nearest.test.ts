import { distance } from 'fastest-levenshtein'
import { describe, expect, it, vi } from 'vitest'
import { findAkinFew, findNearest, findNearestFew } from './nearest.ts'

vi.mock('fastest-levenshtein', async (load) => {
  const loaded = await load<{ distance: typeof distance }>()
  return { distance: vi.fn(loaded.distance) }
})

const TOOLS = ['orders__get', 'orders__list', 'orders__cancel', 'orders__cancel_all', 'shop__empty', 'skill__fetch']

describe('the nearest names', () => {
  it.each([
    ['orders_get', ['orders__get']],
    ['orders::get', ['orders__get']],
    ['getOrder', ['orders__get']],
    ['cancel_order', ['orders__cancel', 'orders__cancel_all']],
    ['cancel', ['orders__cancel', 'orders__cancel_all']],
    ['ORDERS__GET', ['orders__get', 'orders__list']],
    ['weather', []],
    ['x', []],
    ['', []],
  ])('of %s are %j', (name, nearest) => {
    expect(findNearestFew(name, TOOLS, 2)).toEqual(nearest)
  })

  it('are nothing that has no letter of a short name', () => {
    expect(findNearest('b', ['a'])).toBeUndefined()
    expect(findNearest('ab', ['xy', 'abc'])).toBe('abc')
  })

  it('that only share letters are left out where they would be a guess', () => {
    const tools = ['orders__report', 'orders__refund_all', 'orders__refnud']
    expect(findNearestFew('orders__refund', tools, 3)).toEqual([
      'orders__refnud',
      'orders__refund_all',
      'orders__report',
    ])
    expect(findAkinFew('orders__refund', tools, 3)).toEqual(['orders__refnud', 'orders__refund_all'])
  })

  it('are looked for with bounds', () => {
    const many = Array.from({ length: 20_000 }, (_, nth) => `orders__get_${nth}`)
    expect(findNearestFew('orders__get_19999', many, 3)).not.toContain('orders__get_19999')
    expect(findNearestFew('x'.repeat(4_000_000), ['x'], 3)).toEqual([])
  })

  it('are compared twice at most, however many are as near', () => {
    const many = Array.from({ length: 2_000 }, (_, nth) => `skill_${String(nth * 7919).padStart(8, '0')}`)
    vi.mocked(distance).mockClear()
    expect(findNearestFew('skill', many, 3)).toHaveLength(3)
    expect(vi.mocked(distance).mock.calls.length).toBeLessThanOrEqual(2 * many.length)
  })
})

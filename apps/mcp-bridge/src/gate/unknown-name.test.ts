import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { promptNotFound, suggestFrom, toMatching, unknownTool } from './unknown-name.ts'

describe('a tool that is not there', () => {
  it.each([
    ['orders_get', '. Did you mean orders__get? tools/list has all of them'],
    ['orders::get', '. Did you mean orders__get? tools/list has all of them'],
    ['orders::gte', '. Did you mean orders__get? tools/list has all of them'],
    ['weather', '. tools/list has all of them'],
    ['', '. tools/list has all of them'],
  ])('%s has the nearest beside it', (name, advice) => {
    const catalog = ['orders__cancel', 'orders__get', 'skill__fetch']
    expect(unknownTool(name, catalog)).toMatchObject({ code: -32602, message: `Unknown tool: ${name}${advice}` })
  })

  it('has beside it what its words mean, before what only shares letters with it', () => {
    const catalog = ['orders__cancel', 'orders__report', 'orders__refund_all']
    const told = (meant: string[], name = 'orders__refund') => unknownTool(name, catalog, { meant }).message
    expect(told([])).toMatch('Did you mean orders__refund_all? ')
    expect(told(['orders__cancel'])).toMatch('Did you mean orders__refund_all? ')
    expect(told(['orders__cancel'], 'orders__remedy')).toMatch('Did you mean orders__cancel? ')
    expect(told([], 'orders__remedy')).toMatch('Did you mean orders__report? ')
  })

  it('is told with bounds among thousands of them, however long its name is', () => {
    const many = Array.from({ length: 2_000 }, (_, nth) => `orders__get_${nth}`)
    expect(unknownTool('orders__get_1x', many).message.length).toBeLessThan(200)
    expect(unknownTool('x'.repeat(4_000_000), many).message.length).toBeLessThan(200)
    expect(suggestFrom('orders__get_1', many)).toHaveLength(3)
  })
})

describe('a prompt that is not there', () => {
  it('has the nearest beside it, without what nobody sees', () => {
    expect(promptNotFound('refund', ['refund-order', 'refund\u200b-all']).message).toBe(
      'Prompt not found: refund. Did you mean refund-all or refund-order? prompts/list has all of them',
    )
  })
})

describe('what fits', () => {
  it('comes with what begins so first, in any case', () => {
    const ids = ['mail::orders', 'orders::create', 'Orders::cancel', 'users::list']
    expect(toMatching(ids, 'ORD')).toEqual(['orders::create', 'Orders::cancel', 'mail::orders'])
    expect(toMatching(ids, '')).toEqual(ids)
    expect(toMatching(ids, 'nothing')).toEqual([])
  })

  it('is each value that has what was typed, once', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.string({ maxLength: 2 }), (values, typed) => {
        const fitting = values.filter((value) => value.toLowerCase().includes(typed.toLowerCase()))
        expect(toMatching(values, typed).toSorted()).toEqual(fitting.toSorted())
      }),
    )
  })
})

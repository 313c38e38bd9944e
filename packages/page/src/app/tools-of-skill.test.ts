import { expect, it } from 'vitest'
import { toToolsOf } from './tools-of-skill.ts'

it('a skill has the tools that name it', () => {
  const tools = [
    { name: 'orders__refund', _meta: { 'iii/skill': 'iii://orders/refunds' } },
    { name: 'orders__cancel', _meta: { 'iii/skill': 'iii://orders/refunds' } },
    { name: 'orders__create', _meta: { 'iii/skill': 'iii://orders' } },
    { name: 'orders__odd', _meta: { 'iii/skill': ['iii://orders/refunds'] } },
    { name: 'orders__list' },
  ]
  expect(toToolsOf('iii://orders/refunds', tools)).toEqual(['orders__cancel', 'orders__refund'])
  expect(toToolsOf('iii://skills', tools)).toEqual([])
})

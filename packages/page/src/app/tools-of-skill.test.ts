import { expect, it } from 'vitest'
import { toToolsOf } from './tools-of-skill.ts'

it('a skill has the tools that are told beside its text, whether a list has them or not, and nothing else has any', () => {
  const listed = [{ name: 'orders__cancel' }, { name: 'orders__create' }]
  expect(toToolsOf({ 'iii/tools': ['orders__cancel', 5, 'orders__refund'] }, listed)).toEqual([
    { name: 'orders__cancel', isListed: true },
    { name: 'orders__refund', isListed: false },
  ])
  expect([toToolsOf({}, listed), toToolsOf({ 'iii/tools': 'orders__cancel' }, listed)]).toEqual([[], []])
})

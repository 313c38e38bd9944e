import { expect, it } from 'vitest'
import { checkScope, STATE_SCOPES } from './scopes.ts'

const all = Object.values(STATE_SCOPES).flatMap((scopes) => Object.values<string>(scopes))

it('no two scopes of our workers are the same', () => {
  expect(new Set(all).size).toBe(all.length)
})

it.each(all)('a setting may not name %s, unless it is its own', (scope) => {
  expect(checkScope(scope, 'orders')).toMatch(/keeps its own rows; choose another name$/)
  expect(checkScope(`${scope}::index`, 'orders')).toMatch(/^is '.+::index', where the worker '\w+' keeps/)
  expect(checkScope(scope, scope)).toBeUndefined()
})

it.each(['team', 'runs2', 'my-skills', 'mcp', 'skill'])('a setting may name %s', (scope) => {
  expect(checkScope(scope, 'skills')).toBeUndefined()
})

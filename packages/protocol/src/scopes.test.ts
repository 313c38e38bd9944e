import { expect, it } from 'vitest'
import { checkScope, STATE_SCOPES, toScope } from './scopes.ts'

const all = Object.entries(STATE_SCOPES).flatMap(([worker, scopes]) =>
  Object.values<string>(scopes).map((scope) => [scope, worker] as const),
)

it('no two scopes of our workers are the same', () => {
  expect(new Set(all.map(([scope]) => scope)).size).toBe(all.length)
})

it.each(all)('a setting may not name %s, unless it is one of the worker %s', (scope, worker) => {
  for (const name of [scope, `${scope}::index`, toScope(scope, 'orders'), `${toScope(scope, 'orders')}::index`]) {
    expect(checkScope(name, 'orders')).toBe(
      `is '${name}', where the worker '${worker}' keeps its own rows; choose another name`,
    )
    expect(checkScope(name, worker)).toBeUndefined()
  }
})

it.each(['team', 'runs2', 'my-skills', 'mcp', 'skill'])('a setting may name %s', (scope) => {
  expect(checkScope(scope, 'orders')).toBeUndefined()
})

it.each([
  [undefined, 'mcp-tasks'],
  ['default', 'mcp-tasks'],
  ['orders', 'mcp-tasks@orders'],
])('a worker in the namespace %j keeps tasks in %s', (namespace, scope) => {
  expect(toScope('mcp-tasks', namespace)).toBe(scope)
})

import { expect, it, vi } from 'vitest'
import { createStateScope } from './state-scope.ts'

type Loose = Record<'get' | 'set' | 'delete' | 'update' | 'inTurn', (...words: unknown[]) => Promise<unknown>>

/** As plain JavaScript sees it, where no compiler looks. */
function createLooseScope() {
  const trigger = vi.fn(async () => null)
  return { trigger, scope: createStateScope({ trigger: trigger as never }, 'cups') as unknown as Loose }
}

it.each([
  ['get', [], "The scope 'cups' takes a text as key, not undefined"],
  ['get', [5], "The scope 'cups' takes a text as key, not a number; String(5) makes one of it"],
  ['delete', [['a']], 'takes a text as key, not a list'],
  ['set', [{ id: 'a' }], 'takes a text as key, not an object'],
  ['update', [null, []], 'takes a text as key, not null'],
  ['inTurn', [() => 1], 'takes a text as key, not a function'],
  [
    'set',
    ['a', undefined],
    "set('a') of the scope 'cups' was given undefined as value; null stores that there is none, and delete(key) removes it",
  ],
  ['set', ['a', () => 1], 'was given a function as value'],
  ['set', ['a', Symbol('a')], 'was given a symbol as value'],
  [
    'update',
    ['a', (n: number) => n + 1],
    "update('a') of the scope 'cups': ops: must be a list, not a function; it takes a list such as [{ type: 'increment', path: 'n', by: 1 }]",
  ],
  ['update', ['a', { type: 'set', path: 'n', value: 1 }], 'ops: must be a list, not an object'],
  ['update', ['a', [{ n: 1 }]], "ops[0].type: must be one of 'set', 'merge', 'increment', "],
  ['update', ['a', [{ type: 'inc', path: 'n', by: 1 }]], "ops[0].type: must be one of 'set', "],
  ['update', ['a', [null]], 'ops[0]: must be an object, not null'],
  ['update', ['a', [{ type: 'increment', path: 'n' }]], 'ops[0].by: must be a number, but it is missing'],
  ['update', ['a', [{ type: 'increment', path: 'n', by: '1' }]], 'ops[0].by: must be a number, not a string'],
  ['update', ['a', [{ type: 'decrement', path: 'n', by: 1.5 }]], 'ops[0].by: must be a whole number'],
  ['update', ['a', [{ type: 'remove', path: ['n'] }]], 'ops[0].path: must be a string, not a list'],
  ['update', ['a', [{ type: 'append', path: 'n' }]], 'ops[0].value: must be there'],
] as const)('%s(%o) is refused before the engine is asked', async (method, words, says) => {
  const { scope, trigger } = createLooseScope()
  await expect(scope[method](...words)).rejects.toThrow(says)
  expect(trigger).not.toHaveBeenCalled()
})

it('null, any text as key, and every operation that the engine knows are sent', async () => {
  const { scope, trigger } = createLooseScope()
  trigger.mockResolvedValue({} as never)
  await scope.set('', null)
  await scope.update('a', [
    { type: 'set', path: 'n', value: undefined },
    { type: 'merge', value: { n: 1 } },
    { type: 'merge', path: ['a', 'b'], value: {} },
    { type: 'increment', path: 'n', by: 1 },
    { type: 'decrement', path: 'n', by: -1 },
    { type: 'append', path: 'list', value: null },
    { type: 'remove', path: 'n' },
  ])
  expect(trigger).toHaveBeenCalledTimes(2)
})

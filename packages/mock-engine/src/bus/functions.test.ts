import { expect, it } from 'vitest'
import { createFunctions, type EngineFunction } from './functions.ts'

const host = { kind: 'worker', workerId: 'w', wireId: '', deliver: () => true } as const
const toEntry = (id: string, namespace: string) => ({ id, namespace, host }) as unknown as EngineFunction

const toFunctions = (length: number) => {
  const functions = createFunctions({ lostBuiltin: false })
  const ids = Array.from({ length }, (_, at) => `many::f${at}`)
  for (const id of ids) functions.set(toEntry(id, 'default'))
  return { functions, ids }
}

it('knows the namespaces of each of many functions at once', async () => {
  const findAll = ({ functions, ids }: ReturnType<typeof toFunctions>) => ids.map((id) => functions.namespacesOf(id))
  await expect(findAll).toTakeLinearTime(toFunctions, 20_000)
  const { functions, ids } = toFunctions(20)
  functions.set(toEntry('many::f7', 'shop'))
  functions.set(toEntry('many::f7', 'bar'))
  const places = ids.map((id) => functions.namespacesOf(id).join())
  expect(places[7]).toBe('bar,default,shop')
  expect(new Set(places)).toEqual(new Set(['default', 'bar,default,shop']))
  functions.release('many::f7', 'bar', 'w')
  expect([functions.namespacesOf('many::f7'), functions.namespacesOf('nope')]).toEqual([['default', 'shop'], []])
})

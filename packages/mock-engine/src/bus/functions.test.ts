import process from 'node:process'
import { expect, it } from 'vitest'
import { createFunctions, type EngineFunction } from './functions.ts'

const host = { kind: 'worker', workerId: 'w', wireId: '', deliver: () => true } as const
const toEntry = (id: string, namespace: string) => ({ id, namespace, host }) as unknown as EngineFunction

it('knows the namespaces of each of many functions at once', () => {
  const functions = createFunctions({ lostBuiltin: false })
  const ids = Array.from({ length: 20_000 }, (_, at) => `many::f${at}`)
  for (const id of ids) functions.set(toEntry(id, 'default'))
  functions.set(toEntry('many::f7', 'shop'))
  functions.set(toEntry('many::f7', 'bar'))
  const before = process.cpuUsage()
  const places = ids.map((id) => functions.namespacesOf(id).join())
  expect(process.cpuUsage(before).user).toBeLessThan(500_000)
  expect(places[7]).toBe('bar,default,shop')
  expect(new Set(places)).toEqual(new Set(['default', 'bar,default,shop']))
  functions.release('many::f7', 'bar', 'w')
  expect([functions.namespacesOf('many::f7'), functions.namespacesOf('nope')]).toEqual([['default', 'shop'], []])
})

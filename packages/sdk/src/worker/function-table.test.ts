import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import type { FunctionRegistration } from './function.ts'
import { createFunctionTable } from './function-table.ts'

function startTable() {
  return createFunctionTable({
    instance: 'i',
    claims: { told: () => undefined, isRefused: () => false },
    send: () => undefined,
    isHeld: () => false,
    mayRepeat: () => true,
    remark: () => undefined,
  })
}

const handler = () => null
const step = fc.record({ id: fc.nat(4), maxBytes: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }) })

it('knows the smallest limit of all functions that there are, whatever came, changed and went', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const table = startTable()
      const limits = new Map<number, number>()
      const registrations = new Map<number, FunctionRegistration>()
      const put = (id: number, maxBytes: number) => {
        limits.set(id, maxBytes)
        const known = registrations.get(id)
        if (known === undefined) registrations.set(id, table.register(`a::f${id}`, handler, { maxBytes }))
        else known.replace(handler, { maxBytes })
      }
      const take = (id: number) => {
        limits.delete(id)
        registrations.get(id)?.unregister()
        registrations.delete(id)
      }
      for (const { id, maxBytes } of steps) {
        if (maxBytes === undefined) take(id)
        else put(id, maxBytes)
        expect(table.smallestLimit).toBe(Math.min(...limits.values()))
      }
    }),
  )
})

it('looks at no other function for one that comes or goes', () => {
  const table = startTable()
  const seen = vi.spyOn(table.all, 'values')
  for (let at = 0; at < 100; at++) {
    const registration = table.register(`a::f${at}`, handler)
    registration.replace(handler)
    if (at % 2 === 0) registration.unregister()
  }
  expect(table.all.size).toBe(50)
  expect(seen).not.toHaveBeenCalled()
})

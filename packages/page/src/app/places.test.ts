import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseHash, toHash, VIEWS } from './places.ts'

it('what is shown stands in the address, whatever it is called', () => {
  fc.assert(
    fc.property(fc.constantFrom(...VIEWS), fc.string({ unit: 'grapheme' }), (view, what) => {
      expect(parseHash(toHash(view, what))).toEqual({ view, what })
    }),
  )
})

it.each(['', '#', '#/', '#/nothing/x', '#tools', '#/tools/%'])('%j is the list of tools', (hash) => {
  expect(parseHash(hash)).toEqual({ view: 'tools', what: '' })
})

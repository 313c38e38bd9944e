import { expect, it } from 'vitest'
import { EVERYBODY, type Principal, toToldPrincipal } from './principal.ts'

const tell = (id: string, method: Principal['method'] = 'jwt') => toToldPrincipal({ ...EVERYBODY, id, method })

it('who asks is told by its id, a long one as far as records take it and unlike every other', () => {
  const whole = `jwt:h:${'a'.repeat(250)}`
  expect(tell(whole)).toBe(whole)
  const long = ['x', 'y', '\u{1f600}'].map((end) => tell(`jwt:h:${'\u{1f600}'.repeat(200)}${end}`) ?? '')
  expect(new Set(long).size).toBe(3)
  for (const told of long) {
    expect([told.length, told.isWellFormed()]).toEqual([256, true])
    expect(told).toMatch(/^jwt:h:(?:\u{1f600})+\ufffd?~[\w-]{43}$/u)
  }
})

it('everybody is nobody of whom to tell', () => {
  for (const id of ['everybody', 'e'.repeat(300)]) expect(tell(id, 'off')).toBeUndefined()
})

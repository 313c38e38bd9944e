import { expect, it } from 'vitest'
import { createKnownSecrets } from './known-secrets.ts'

it('hides what was taken out, under every name and in every sentence', () => {
  const known = createKnownSecrets()
  const told = { a: 'open sesame', of: { list: [['a long secret']] }, note: 'Bearer x', day: 'today' }
  known.learn(told, { a: '<secret>', of: { list: '<secret>' }, note: 'Bearer <secret>', day: 'today' })
  expect(
    known.hide({ 'to open sesame': ['say open sesame', 'a long secret'], day: 'today', note: 'Bearer x' }),
  ).toEqual({
    'to <secret>': ['say <secret>', '<secret>'],
    day: 'today',
    note: 'Bearer x',
  })
})

it('leaves short texts, which stand in too much by chance', () => {
  const known = createKnownSecrets()
  known.learn({ pin: '1', text: '' }, { pin: '<secret>', text: '<secret>' })
  expect(known.hide({ at: '10:11' })).toEqual({ at: '10:11' })
})

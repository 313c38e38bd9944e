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

it('hides them however they are written', () => {
  const known = createKnownSecrets()
  const secret = 'say "ö\n"'
  known.learn({ password: secret }, { password: '<secret>' })
  const python = '{"password": "say \\"\\u00f6\\n\\""}'
  for (const text of [secret, JSON.stringify({ secret }), python, `?p=${encodeURIComponent(secret)}`]) {
    const hidden = known.hide(text)
    expect(hidden).toContain('<secret>')
    expect(hidden).not.toContain('say')
  }
})

it('leaves short texts, which stand in too much by chance', () => {
  const known = createKnownSecrets()
  const taken = { pin: '<secret>', text: '<secret>', code: '<secret>', six: '<secret>' }
  known.learn({ pin: '1', text: '', code: '10111', six: 'sixsix' }, taken)
  expect(known.hide({ at: '10:111', number: '10111', sixsix: 6 })).toEqual({
    at: '10:111',
    number: '10111',
    '<secret>': 6,
  })
  expect(known.hideInError('1 of 1')).toBe('1 of 1')
})

it('hides short ones and numbers in an error, as whole words', () => {
  const known = createKnownSecrets()
  known.learn({ pin: '4.7+', code: 123456 }, { pin: '<secret>', code: '<secret>' })
  expect(known.hideInError("pin='4.7+' and 123456, not 1234567 or 47+")).toBe(
    "pin='<secret>' and <secret>, not 1234567 or 47+",
  )
})

it('hides thousands of them in many texts at once', () => {
  const known = createKnownSecrets()
  const told = Array.from({ length: 5_000 }, (_, at) => ({ password: `the password of ${at}` }))
  known.learn(
    told,
    told.map(() => ({ password: '<secret>' })),
  )
  const texts = Array.from({ length: 20_000 }, (_, at) => `item ${at}: the password of ${at}`)
  const hidden = known.hide(texts)
  expect(hidden[4_999]).toBe('item 4999: <secret>')
  expect(hidden.filter((text) => text.endsWith(': <secret>'))).toHaveLength(5_000)
})

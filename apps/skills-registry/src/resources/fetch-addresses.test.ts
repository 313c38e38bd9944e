import { describe, expect, it } from 'vitest'

import { toAddresses } from './fetch.ts'

describe('the addresses of a fetch', () => {
  it.each([
    ['one', { uri: 'iii://a', uris: null }, ['iii://a']],
    ['many before one', { uri: 'https://x', uris: ['iii://b', 'iii://c'] }, ['iii://b', 'iii://c']],
    ['one when there is no other', { uri: 'iii://a', uris: [] }, ['iii://a']],
    ['trimmed', { uri: ' iii://a\n', uris: null }, ['iii://a']],
    ['without blanks', { uri: null, uris: ['', ' ', 'iii://b'] }, ['iii://b']],
    ['each once, in the order asked', { uri: null, uris: ['iii://b', 'iii://a', ' iii://b'] }, ['iii://b', 'iii://a']],
  ])('are %s', (_, input, addresses) => {
    expect(toAddresses(input)).toEqual(addresses)
  })

  it.each([
    ['nothing', { uri: null, uris: null }],
    ['a blank', { uri: '  ', uris: null }],
    ['no uris', { uri: null, uris: [] }],
    ['blanks among uris, whatever uri says', { uri: 'iii://a', uris: [' ', ''] }],
  ])('cannot be %s', (_, input) => {
    expect(() => toAddresses(input)).toThrow('Provide uri or a non-empty uris array')
  })

  it('may be 32, not counting repetitions, and not 33', () => {
    const uris = Array.from({ length: 33 }, (_, n) => `iii://a${n}`)
    expect(toAddresses({ uri: null, uris: [...uris.slice(1), 'iii://a7'] })).toHaveLength(32)
    expect(() => toAddresses({ uri: null, uris })).toThrow(/^Too many addresses: 33 \(max 32\)/)
  })
})

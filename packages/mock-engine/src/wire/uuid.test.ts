import { describe, expect, it } from 'vitest'
import { parseUuid } from './uuid.ts'

const ID = '0af76519-16cd-43dd-8448-eb211c80319c'
const PLAIN = ID.replaceAll('-', '')

describe('parseUuid', () => {
  it.each([ID, ID.toUpperCase(), PLAIN, PLAIN.toUpperCase(), `{${ID}}`, `urn:uuid:${ID}`])('reads %s', (text) => {
    expect(parseUuid(text)).toBe(ID)
  })

  it.each([
    '',
    'abc',
    `{${PLAIN}}`,
    `{${ID}`,
    `${ID}}`,
    `urn:uuid:${PLAIN}`,
    `URN:UUID:${ID}`,
    `${ID}0`,
    '0af7651916cd-43dd-8448-eb211c80319c',
  ])('refuses %j', (text) => {
    expect(parseUuid(text)).toBeUndefined()
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { explainServerName, toServerName } from './server-name.ts'

describe('the name of a server', () => {
  it.each(['github', 'a', 'my-server-2', `a${'b'.repeat(31)}`, 'orders', 'mcp-clients', 'skill-2'])(
    'may be %s',
    (name) => {
      expect(explainServerName(name)).toBeUndefined()
      expect(toServerName(name)).toBe(name)
    },
  )

  it.each([
    ['GitHub', 'github'],
    ['my server', 'my-server'],
    ['9lives', 'lives'],
    ['Ümläut', 'umlaut'],
    ['a'.repeat(33), 'a'.repeat(32)],
    ['state', 'server-state'],
    ['mcp-client', 'server-mcp-client'],
    ['runs', 'server-runs'],
    ['skill', 'server-skill'],
    ['iii-x', 'server-iii-x'],
    ['__proto__', 'proto'],
    ['💥', 'server'],
  ])('is not %s, but could be %s', (name, right) => {
    expect(explainServerName(name)).toContain(`did you mean '${right}'?`)
  })

  it('can be made of every text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })), (text) => {
        expect(explainServerName(toServerName(text))).toBeUndefined()
      }),
    )
  })
})

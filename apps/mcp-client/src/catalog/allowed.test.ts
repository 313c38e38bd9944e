import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAllowed } from './allowed.ts'

const rules = (allow: string[], deny: string[] = []) => ({ tools: { allow, deny } })

describe('the tools of a server that become functions', () => {
  it.each([
    [['*'], [], 'anything', true],
    [[], [], 'anything', false],
    [['get_*'], [], 'get_', true],
    [['get_*'], [], 'forget_me', false],
    [['*_get'], [], 'a_get', true],
    [['a*b*c'], [], 'abc', true],
    [['a*b*c'], [], 'a-c-b', false],
    [['ab*ba'], [], 'aba', false],
    [['a.c'], [], 'abc', false],
    [['get'], [], 'GET', false],
    [['*'], ['drop_*'], 'drop_table', false],
    [['drop_table'], ['drop_*'], 'Drop_Table', false],
    [['*'], ['Drop_*'], 'drop_table', false],
    [['*'], ['drop'], 'dropper', true],
    [['**'], [], 'x', true],
    [['*'], [''], 'x', true],
  ])('with allow %j and deny %j: %s is %s', (allow, deny, tool, expected) => {
    expect(isAllowed(rules(allow, deny), tool)).toBe(expected)
  })

  it('are those that a pattern means', () => {
    const part = fc.stringMatching(/^[ab]{0,3}$/)
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), fc.stringMatching(/^[ab]{0,10}$/), (parts, name) => {
        const expected = new RegExp(`^${parts.join('.*')}$`).test(name)
        expect(isAllowed(rules([parts.join('*')]), name)).toBe(expected)
      }),
    )
  })

  it('are found at once, however wicked the pattern', async () => {
    const wicked = rules([`${'a*'.repeat(500)}b`])
    const isDenied = (name: string) => expect(isAllowed(wicked, name)).toBe(false)
    await expect(isDenied).toTakeLinearTime((length) => 'a'.repeat(length), 1_024)
  })
})

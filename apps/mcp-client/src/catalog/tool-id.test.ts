import { formatToolName, isCanonicalId, isHashedToolName, parseToolName } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toToolId } from './tool-id.ts'

const server = fc.stringMatching(/^[a-z][a-z0-9-]{0,31}$/)
const tool = fc.oneof(
  fc.string({ minLength: 1, maxLength: 80, unit: 'binary' }),
  fc.stringMatching(/^[A-Za-z0-9_.:/ -]{1,80}$/),
  fc.stringMatching(/^[A-Za-z0-9-]{1,30}(_[a-z]{1,20}){0,3}$/),
)

describe('the id of a tool', () => {
  it.each([
    ['github', 'create_issue', 'github::create_issue'],
    ['github', 'createIssue-2', 'github::createIssue-2'],
    ['github', 'get.forecast', /^github::get_forecast-[0-9a-f]{8}$/],
    ['github', 'a__b', /^github::a_b-[0-9a-f]{8}$/],
    ['github', '_a_', /^github::a-[0-9a-f]{8}$/],
    ['github', 'a::b', /^github::a_b-[0-9a-f]{8}$/],
    ['github', '__proto__', /^github::proto-[0-9a-f]{8}$/],
    ['github', '日本', /^github::tool-[0-9a-f]{8}$/],
    ['github', 'x'.repeat(56), `github::${'x'.repeat(56)}`],
    ['github', 'x'.repeat(57), /^github::x{40}-[0-9a-f]{8}$/],
    ['g'.repeat(32), 'x'.repeat(31), /^g{32}::x{21}-[0-9a-f]{8}$/],
    ['github', 'mcp', 'github::mcp'],
  ])('of %s and %j is %s', (name, original, id) => {
    if (typeof id === 'string') expect(toToolId(name, original)).toBe(id)
    else expect(toToolId(name, original)).toMatch(id)
  })

  it('is one that the bridge gives a name that can be read back, of two segments', () => {
    fc.assert(
      fc.property(server, tool, (name, original) => {
        const id = toToolId(name, original)
        expect(isCanonicalId(id)).toBe(true)
        expect(id.split('::')).toHaveLength(2)
        expect(isHashedToolName(formatToolName(id))).toBe(false)
        expect(parseToolName(formatToolName(id))).toBe(id)
      }),
    )
  })

  it('is another one for another tool, but where a name imitates the hash', () => {
    fc.assert(
      fc.property(server, tool, tool, (name, one, other) => {
        fc.pre(one !== other)
        const id = toToolId(name, one)
        fc.pre(!id.endsWith(`::${other}`) && !toToolId(name, other).endsWith(`::${one}`))
        expect(toToolId(name, other)).not.toBe(id)
      }),
    )
  })
})

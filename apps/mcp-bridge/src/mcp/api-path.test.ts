import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseApiPath, toHealthPath } from './api-path.ts'

describe('an api_path', () => {
  it('is the same with and without its leading slash', () => {
    expect(parseApiPath('mcp')).toEqual({ path: '/mcp', functionId: 'mcp::handler' })
    expect(parseApiPath('/mcp')).toEqual(parseApiPath('mcp'))
  })

  it('has a function of its own when it is not the usual one', () => {
    expect(parseApiPath('/mcp-custom')?.functionId).toBe('mcp::handler::mcp-custom')
    expect(parseApiPath('agents/v1.2/mcp')).toEqual({
      path: '/agents/v1.2/mcp',
      functionId: 'mcp::handler::agents::v1.2::mcp',
    })
  })

  it('has a path for probes, and a function for it that is as much its own', () => {
    const paths = ['mcp', 'tools/mcp'].map((text) => parseApiPath(text)).filter((path) => path !== undefined)
    expect(paths.map(toHealthPath)).toEqual([
      { path: '/mcp/health', functionId: 'mcp::health' },
      { path: '/tools/mcp/health', functionId: 'mcp::health::tools::mcp' },
    ])
  })

  it.each([
    '',
    '/',
    '//mcp',
    '/mcp/',
    '/a//b',
    ':',
    '/:id',
    '/mcp/:id',
    '/*',
    '*x',
    '{',
    '}',
    '{}',
    '/x/{a}',
    '{*x}',
    '{*x}/y',
    '/a b',
    '/ä',
    '/%2e',
    '/.',
    '/../mcp',
    '/mcp?x=1',
    '/mcp#x',
    '/a\\b',
    '/a\nb',
    `/${'x'.repeat(65)}`,
    '/1/2/3/4/5/6/7/8/9',
    '/.well-known',
    '.well-known/oauth-protected-resource/mcp',
  ])('is refused before the engine sees it: %j', (text) => {
    expect(parseApiPath(text)).toBeUndefined()
  })

  it('never lets a character through that means something to a router', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const path = parseApiPath(text)?.path
        expect(path === undefined || /^(\/[A-Za-z0-9._~-]+)+$/.test(path)).toBe(true)
      }),
    )
  })

  it('gives different paths different functions', () => {
    const segment = fc.constantFrom('a', 'b', 'a-b', 'a.b', 'mcp')
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))
    fc.assert(
      fc.property(path, path, (a, b) => {
        expect(parseApiPath(a)?.functionId === parseApiPath(b)?.functionId).toBe(a === b)
      }),
    )
  })
})

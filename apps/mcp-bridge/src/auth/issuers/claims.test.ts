import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findClaim, isMet, readScopes, readSubject } from './claims.ts'

describe('a claim', () => {
  const claims = {
    sub: 'ada',
    realm_access: { roles: ['ops'] },
    resource_access: { 'https://mcp.example.com/mcp': { roles: ['user'] } },
    'https://example.com/groups': ['platform'],
    a: { b: 1 },
    'a.b': 2,
  }

  it.each([
    ['sub', 'ada'],
    ['realm_access.roles', ['ops']],
    ['resource_access.https://mcp.example.com/mcp.roles', ['user']],
    ['https://example.com/groups', ['platform']],
    ['a.b', 2],
    ['realm_access.groups', undefined],
    ['sub.length', undefined],
    ['realm_access.roles.0', undefined],
    ['constructor', undefined],
    ['realm_access.__proto__', undefined],
    ['', undefined],
    ['.sub', undefined],
  ])('is found at the path %s', (path, value) => {
    expect(findClaim(claims, path)).toEqual(value)
  })

  it('is found by the names on the way to it, whatever they are', () => {
    const names = fc.array(
      fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
      { minLength: 1, maxLength: 5 },
    )
    fc.assert(
      fc.property(names, (path) => {
        const nested = path.reduceRight<unknown>((value, name) => ({ [name]: value }), 'here')
        expect(findClaim(nested, path.join('.'))).toBe('here')
      }),
    )
  })

  it('is read of anything without an error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, path) => {
        findClaim(value, path)
        readScopes({ value }, ['value', path])
        readSubject({ sub: value }, path)
      }),
    )
  })
})

describe('scopes', () => {
  it('are a text or a list, at the first path that has one', () => {
    expect(readScopes({ scope: 'mcp  orders:read' }, ['scope', 'scp'])).toEqual(['mcp', 'orders:read'])
    expect(readScopes({ scp: ['mcp', 7, 'a'] }, ['scope', 'scp'])).toEqual(['mcp', 'a'])
    expect(readScopes({ scope: 'a', permissions: ['b'] }, ['permissions', 'scope'])).toEqual(['b'])
    expect(readScopes({ scope: { a: 1 }, scp: 'b' }, ['scope', 'scp'])).toEqual(['b'])
    expect(readScopes({}, ['scope'])).toEqual([])
  })
})

describe('a condition', () => {
  it.each([
    [{ claim: 'groups', has: 'platform' }, { groups: ['a', 'platform'] }, true],
    [{ claim: 'groups', has: 'platform' }, { groups: ['platform-admins'] }, false],
    [{ claim: 'groups', has: 'platform' }, { groups: 'platform' }, true],
    [{ claim: 'groups', has: 'platform' }, { groups: 'a platform' }, true],
    [{ claim: 'department', has: 'data platform' }, { department: 'data platform' }, true],
    [{ claim: 'groups', has: 'platform' }, {}, false],
    [{ claim: 'email_verified', is: true }, { email_verified: true }, true],
    [{ claim: 'email_verified', is: true }, { email_verified: 'true' }, false],
    [{ claim: 'level', is: 2 }, { level: 2 }, true],
    [{ claim: 'level', is: '2' }, { level: 2 }, false],
    [undefined, {}, true],
  ])('%j for %j is %s', (when, claims, isTrue) => {
    expect(isMet(when, claims)).toBe(isTrue)
  })
})

describe('who a token is about', () => {
  it('is the subject, or the client where there is none', () => {
    expect(readSubject({ sub: 'ada', client_id: 'app' }, 'sub')).toEqual({ kind: 'user', name: 'ada' })
    expect(readSubject({ sub: 42 }, 'sub')).toEqual({ kind: 'user', name: '42' })
    expect(readSubject({ client_id: 'app', azp: 'other' }, 'sub')).toEqual({ kind: 'client', name: 'app' })
    expect(readSubject({ azp: 'other' }, 'sub')).toEqual({ kind: 'client', name: 'other' })
    expect(readSubject({ sub: 'ada', user: { name: 'Ada' } }, 'user.name')).toEqual({ kind: 'user', name: 'Ada' })
  })

  it.each(['', 'a\nb', 'a\u202eb', 'x'.repeat(256), ['ada'], null, 1.5])(
    'is nobody for %j, not even the client',
    (sub) => {
      expect(readSubject({ sub, client_id: 'app' }, 'sub')).toBeUndefined()
    },
  )

  it.each([
    ['sub', 'a user of Keycloak whose client lacks the scope basic', { azp: 'desk', sid: 'Fv3I', typ: 'Bearer' }],
    ['sub', 'a user of whom is known when they logged in', { client_id: 'desk', auth_time: 1_795_737_145 }],
    ['email', 'a user of a client that is not told the claim', { sub: 'c871efe3', azp: 'desk', sid: 'hn0C' }],
    ['email', 'a user of a server without sessions', { sub: 'auth0|ada', azp: 'desk' }],
  ])('without %s is not the client, for %s', (path, _, claims) => {
    expect(readSubject(claims, path)).toBeUndefined()
  })

  it.each([
    { sub: 'desk', client_id: 'desk' },
    { sub: 'desk@clients', azp: 'desk' },
  ])('is the client for %j, where the claim of people is another one', (claims) => {
    expect(readSubject(claims, 'email')).toEqual({ kind: 'client', name: 'desk' })
  })

  it('is nobody where nobody is named', () => {
    expect(readSubject({}, 'sub')).toBeUndefined()
  })
})

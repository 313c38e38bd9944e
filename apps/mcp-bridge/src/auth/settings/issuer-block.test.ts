import { describe, expect, it } from 'vitest'
import { AuthBlock } from './auth-block.ts'
import { toIssuerSettings } from './issuer-block.ts'

const ISSUER = { issuer: 'https://login.example.com/', audience: ['https://mcp.example.com/mcp'] }
const findPlaces = (block: object) => AuthBlock.safeParse(block).error?.issues.map(({ path }) => path.join('.'))

describe('an issuer in the block', () => {
  it('has what it does not say', () => {
    const { issuers } = AuthBlock.parse({
      resource: 'http://127.0.0.1:3111/mcp',
      grants: { a: {} },
      issuers: [
        {
          ...ISSUER,
          grants: [
            { when: { claim: 'email_verified', is: false }, grant: 'a' },
            { when: { claim: 'groups', has: 'staff' }, grant: 'a' },
            { grant: 'a' },
          ],
        },
      ],
    })
    expect(issuers.map(toIssuerSettings)).toEqual([
      {
        ...ISSUER,
        jwks: undefined,
        algorithms: ['RS256', 'ES256'],
        type: 'any',
        clockToleranceS: 30,
        subject: 'sub',
        scopes: ['scope', 'scp', 'permissions'],
        require: [],
        advertisedScopes: undefined,
        grants: [
          { when: { claim: 'email_verified', is: false }, grant: 'a' },
          { when: { claim: 'groups', has: 'staff' }, grant: 'a' },
          { when: undefined, grant: 'a' },
        ],
        forwardClaims: [],
      },
    ])
  })

  it('names the claims that functions are told', () => {
    const block = { ...ISSUER, forward_claims: ['email', 'realm_access.roles'] }
    const { issuers } = AuthBlock.parse({ resource: 'https://mcp.example.com/mcp', issuers: [block] })
    expect(issuers.map(toIssuerSettings)).toMatchObject([{ forwardClaims: ['email', 'realm_access.roles'] }])
  })

  it.each<[string, object, string]>([
    ['of another machine without TLS', { issuer: 'http://login.example.com' }, 'issuer'],
    ['whose keys come without TLS', { jwks: 'http://login.example.com/keys' }, 'jwks'],
    ['with a password in its address', { issuer: 'https://a:b@login.example.com' }, 'issuer'],
    ['for any audience', { audience: ['*'] }, 'audience.0'],
    ['for no audience', { audience: [] }, 'audience'],
    ['with a secret as key', { algorithms: ['HS256'] }, 'algorithms.0'],
    ['without signatures', { algorithms: ['none'] }, 'algorithms.0'],
    ['without an algorithm', { algorithms: [] }, 'algorithms'],
    ['with another type', { type: 'jwt' }, 'type'],
    ['with too much tolerance', { clock_tolerance_s: 121 }, 'clock_tolerance_s'],
    ['that requires what is for clients alone', { require: ['offline_access'] }, 'require.0'],
    ['that advertises it', { advertised_scopes: ['offline_access'] }, 'advertised_scopes.0'],
    ['with two scopes in one', { require: ['a b'] }, 'require.0'],
    ['with a quote in a scope', { require: ['a"b'] }, 'require.0'],
    ['with a grant that is not there', { grants: [{ grant: 'b' }] }, 'grants.0.grant'],
    ['with a condition that says nothing', { grants: [{ when: { claim: 'x' }, grant: 'a' }] }, 'grants.0.when'],
    [
      'with one that says two things',
      { grants: [{ when: { claim: 'x', has: 1, is: 1 }, grant: 'a' }] },
      'grants.0.when',
    ],
    ['that hands on a claim without a name', { forward_claims: ['email', ''] }, 'forward_claims.1'],
    ['with an unknown key', { audiences: [] }, ''],
  ])('%s is refused', (_, changes, place) => {
    const block = { resource: 'https://mcp.example.com/mcp', grants: { a: {} }, issuers: [{ ...ISSUER, ...changes }] }
    expect(findPlaces(block)).toEqual([place === '' ? 'issuers.0' : `issuers.0.${place}`])
  })

  it('stands there once', () => {
    expect(findPlaces({ resource: 'https://mcp.example.com/mcp', issuers: [ISSUER, ISSUER] })).toEqual([
      'issuers.1.issuer',
    ])
  })
})

describe('the resource', () => {
  it('is there where an issuer is', () => {
    expect(findPlaces({ issuers: [ISSUER] })).toEqual(['resource'])
  })

  it.each([
    'http://mcp.example.com/mcp',
    'https://mcp.example.com/mcp/',
    'https://mcp.example.com/mcp?x=1',
    'https://mcp.example.com/mcp#x',
    'https://mcp.example.com/:id',
    'https://mcp"example.com/mcp',
    'https://mcp.example.com\\mcp',
    'https://mcp.example.com/a%20b',
    'https://mcp.example.com/{a}',
    'https://mcp.example.com/a/b/c/d/e/f/g',
    'mcp.example.com',
  ])('is not %s', (resource) => {
    expect(findPlaces({ resource })).toEqual(['resource'])
  })

  it.each(['https://mcp.example.com/mcp', 'https://mcp.example.com', 'http://127.0.0.1:3111/a/b/c/d/e/f'])(
    'may be %s',
    (resource) => {
      expect(findPlaces({ resource })).toBeUndefined()
    },
  )
})

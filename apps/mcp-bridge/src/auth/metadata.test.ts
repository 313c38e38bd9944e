import { describe, expect, it } from 'vitest'
import { formatChallenge } from './challenge.ts'
import type { IssuerSettings } from './issuers/issuer-settings.ts'
import { formatMetadata, toBaseScopes, toMetadataPath, toMetadataUrl } from './metadata.ts'

const ISSUER: IssuerSettings = {
  issuer: 'https://login.example.com/realms/acme',
  jwks: undefined,
  audience: ['https://mcp.example.com/mcp'],
  algorithms: ['RS256'],
  type: 'any',
  clockToleranceS: 30,
  subject: 'sub',
  scopes: ['scope'],
  require: ['mcp'],
  advertisedScopes: undefined,
  grants: [],
  forwardClaims: [],
}

describe('the metadata of the resource', () => {
  it.each([
    ['https://mcp.example.com/mcp', '/.well-known/oauth-protected-resource/mcp'],
    ['https://mcp.example.com/mcp/', '/.well-known/oauth-protected-resource/mcp'],
    ['https://mcp.example.com', '/.well-known/oauth-protected-resource'],
    ['https://mcp.example.com/', '/.well-known/oauth-protected-resource'],
    ['http://127.0.0.1:3111/tools/mcp', '/.well-known/oauth-protected-resource/tools/mcp'],
  ])('of %s is at %s', (resource, path) => {
    expect(toMetadataPath(resource)).toBe(path)
    expect(toMetadataUrl(resource)).toBe(`${new URL(resource).origin}${path}`)
  })

  it('names the resource as it is set, each issuer once, and what to ask for at first', () => {
    const other = {
      ...ISSUER,
      issuer: 'https://other.example.com',
      require: ['mcp'],
      advertisedScopes: ['api://1/mcp'],
    }
    expect(JSON.parse(formatMetadata('https://mcp.example.com/mcp', [ISSUER, ISSUER, other]))).toEqual({
      resource: 'https://mcp.example.com/mcp',
      authorization_servers: ['https://login.example.com/realms/acme', 'https://other.example.com'],
      scopes_supported: ['mcp', 'api://1/mcp'],
      bearer_methods_supported: ['header'],
      resource_name: 'iii engine',
    })
  })

  it('says nothing of scopes where none is required', () => {
    expect(toBaseScopes([{ ...ISSUER, require: [] }])).toEqual([])
    expect(JSON.parse(formatMetadata('https://a.example', [{ ...ISSUER, require: [] }]))).not.toHaveProperty(
      'scopes_supported',
    )
  })
})

describe('the challenge', () => {
  const resource = 'https://mcp.example.com/mcp'
  const where = 'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"'

  it('says where to find the metadata and what to ask for, and of an error only where there is one', () => {
    expect(formatChallenge({ resource, scopes: ['mcp', 'a'] })).toBe(`Bearer ${where}, scope="mcp a"`)
    expect(formatChallenge({ resource, scopes: [] })).toBe(`Bearer ${where}`)
    expect(formatChallenge({ resource, scopes: ['mcp'] }, 'invalid_token')).toBe(
      `Bearer error="invalid_token", error_description="The token is not valid", ${where}, scope="mcp"`,
    )
    expect(formatChallenge({ resource, scopes: ['mcp'] }, 'insufficient_scope')).toContain('error="insufficient_scope"')
  })

  it('says nothing of metadata where there is none', () => {
    expect(formatChallenge({ resource: undefined, scopes: [] })).toBe('Bearer realm="mcp"')
    expect(formatChallenge({ resource: undefined, scopes: [] }, 'invalid_token')).toMatch(
      /^Bearer realm="mcp", error="invalid_token"/,
    )
  })
})

import { type IssuerSettings, toAskedScopes } from './issuers/issuer-settings.ts'
import type { AuthSettings } from './settings/auth-block.ts'
import { toIssuerSettings } from './settings/issuer-block.ts'

/** What says to clients where tokens for this server come from (RFC 9728). */

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Where the metadata of a resource is: the well-known name goes between host and path (RFC 9728, 3.1). */
export function toMetadataPath(resource: string): string {
  return `${WELL_KNOWN}${new URL(resource).pathname.replace(/\/$/, '')}`
}

/** What the engine calls for it. */
export function toMetadataFunctionId(path: string): string {
  return `mcp::resource-metadata${path.replaceAll('/', '::')}`
}

/** The same as an address. */
export function toMetadataUrl(resource: string): string {
  return `${new URL(resource).origin}${toMetadataPath(resource)}`
}

/** What clients are told to ask for at first: enough to be served at all. */
export function toBaseScopes(issuers: readonly IssuerSettings[]): readonly string[] {
  return [...new Set(issuers.flatMap(toAskedScopes))]
}

/** The metadata, and where on the engine's HTTP port it has to be. */
export interface ResourceMetadata {
  readonly path: string
  readonly text: string
}

/** @returns undefined where there is no issuer that a client could go to */
export function toResourceMetadata(auth: AuthSettings | undefined): ResourceMetadata | undefined {
  if (auth === undefined || auth.mode === 'off' || auth.issuers.length === 0 || auth.resource === undefined)
    return undefined
  const text = formatMetadata(auth.resource, auth.issuers.map(toIssuerSettings))
  return { path: toMetadataPath(auth.resource), text }
}

/** @param resource as people type it into their clients, which hold it against the address that they use */
export function formatMetadata(resource: string, issuers: readonly IssuerSettings[]): string {
  const scopes = toBaseScopes(issuers)
  return JSON.stringify({
    resource,
    authorization_servers: [...new Set(issuers.map(({ issuer }) => issuer))],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    resource_name: 'iii engine',
  })
}

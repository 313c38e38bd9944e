/** Who may talk to the HTTP side at all. The barrier against DNS rebinding and foreign web pages. */

import type { Headers } from '../mcp/era.ts'

export interface FrontDoorRules {
  /** Host names beside the loopback ones; with a port only that port, or none where it is 443 or 80; without one any. */
  readonly allowedHosts: readonly string[]
  /** Origins (`https://app.example.com`) beside the loopback ones; compared whole, but for a port that the scheme says. */
  readonly allowedOrigins: readonly string[]
  /** Whether browsers get the page; undefined: while the server answers to this machine alone. */
  readonly page?: 'on' | 'off' | undefined
  /** Whether callers are asked who they are; undefined: nobody has said so, and they are not. */
  readonly auth?: { readonly mode: 'off' | 'required' } | undefined
}

/** Whether the server answers to nobody but programs and pages of this machine. */
export function isLocalOnly({ allowedHosts, allowedOrigins }: FrontDoorRules): boolean {
  return allowedHosts.length === 0 && allowedOrigins.length === 0
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const AUTHORITY = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?$/
const ORIGIN = /^https?:\/\/([^/?#@\s]+)$/

/**
 * Judges the Host, Origin and Sec-Fetch-Site headers of a request (MCP, "Security Warning" of Streamable HTTP).
 *
 * The engine hands a header with unreadable bytes over as an empty string: a Host or Origin that is there but empty is refused.
 *
 * @returns the reason for a refusal, or undefined when the request may come in
 */
export function refuseAtDoor(headers: Headers, rules: FrontDoorRules): string | undefined {
  const host = headers['host']?.toLowerCase()
  if (!host) return 'The Host header is missing'
  if (!isHostAllowed(host, rules.allowedHosts)) {
    return 'This Host is not allowed: the server answers to localhost, 127.0.0.1 and [::1]; other names go into allowed_hosts'
  }
  const origin = headers['origin']?.toLowerCase()
  if (origin === undefined) {
    return headers['sec-fetch-site'] === 'cross-site' ? 'Cross-site requests are not allowed' : undefined
  }
  if (isOriginAllowed(origin, rules.allowedOrigins)) return undefined
  return 'This Origin is not allowed: pages on other sites than localhost go into allowed_origins'
}

function isHostAllowed(host: string, allowed: readonly string[]): boolean {
  const name = AUTHORITY.exec(host)?.[1]
  if (name === undefined) return false
  // Clients leave away the port that the scheme says, and which scheme it was only a proxy knows.
  const fitting = [host, name, ...(host === name ? [`${name}:443`, `${name}:80`] : [])]
  return LOOPBACK.has(name) || allowed.some((entry) => fitting.includes(entry.toLowerCase()))
}

function isOriginAllowed(origin: string, allowed: readonly string[]): boolean {
  if (origin === '') return false
  const isSame = (entry: string) => withoutPort(entry.toLowerCase().replace(/\/$/, '')) === withoutPort(origin)
  if (allowed.some(isSame)) return true
  const authority = ORIGIN.exec(origin)?.[1]
  const name = authority === undefined ? undefined : AUTHORITY.exec(authority)?.[1]
  return name !== undefined && LOOPBACK.has(name)
}

/** Browsers leave away the port that the scheme says. */
function withoutPort(origin: string): string {
  return origin.replace(/^(https:.*):443$|^(http:.*):80$/, '$1$2')
}

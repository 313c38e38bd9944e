import { isRecord, type JsonObject } from '@iii/protocol'
import type { ClaimCondition } from './issuer-settings.ts'

/**
 * The value at a path of names with dots between them. Names that have dots themselves, as addresses do, are found as well.
 *
 * @example
 * findClaim({ realm_access: { roles: ['ops'] } }, 'realm_access.roles') // ['ops']
 */
export function findClaim(claims: unknown, path: string): unknown {
  if (!isRecord(claims)) return undefined
  if (Object.hasOwn(claims, path)) return claims[path]
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot)
    const found = Object.hasOwn(claims, name) ? findClaim(claims[name], path.slice(dot + 1)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** Scopes at the first path that has a text or a list. */
export function readScopes(claims: JsonObject, paths: readonly string[]): readonly string[] {
  for (const path of paths) {
    const words = toWords(findClaim(claims, path))
    if (words !== undefined) return words
  }
  return []
}

export function isMet(when: ClaimCondition | undefined, claims: JsonObject): boolean {
  if (when === undefined) return true
  const value = findClaim(claims, when.claim)
  if ('is' in when) return value === when.is
  return value === when.has || toItems(value).includes(when.has)
}

/** Who a token is about. */
export interface TokenSubject {
  readonly kind: 'user' | 'client'
  readonly name: string
}

const MAX_LENGTH = 255

/** @returns undefined where nobody is named, or nobody that could be a name */
export function readSubject(claims: JsonObject, path: string): TokenSubject | undefined {
  const user = toName(findClaim(claims, path))
  if (user !== undefined) return { kind: 'user', name: user }
  // A claim that is there and is no name must not make a client of a user.
  if (findClaim(claims, path) !== undefined) return undefined
  const client = toName(claims['client_id']) ?? toName(claims['azp'])
  return client === undefined || isOfSomebodyElse(claims, client) ? undefined : { kind: 'client', name: client }
}

/** All who use a client would be one if their tokens were taken for its own: Keycloak leaves `sub` away where a client lacks the scope `basic`. */
function isOfSomebodyElse({ sub, sid, auth_time }: JsonObject, client: string): boolean {
  if (sid !== undefined || auth_time !== undefined) return true
  // What a client of its own is called (RFC 9068, 2.2; Auth0 adds a word).
  return sub !== undefined && sub !== client && sub !== `${client}@clients`
}

function toName(value: unknown): string | undefined {
  const name = Number.isSafeInteger(value) ? String(value) : value
  if (typeof name !== 'string' || name === '' || name.length > MAX_LENGTH) return undefined
  return /\p{C}/u.test(name) ? undefined : name
}

function toItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : (toWords(value) ?? [])
}

function toWords(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '')
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined
}

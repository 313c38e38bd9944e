import { CommandFailure, EXIT } from '@iii/sdk/cli'
import { asksWho, hasExpired } from '../../auth/decision.ts'
import { uniteGrants } from '../../auth/issuers/unite-grants.ts'
import { createPolicy, type Policy } from '../../auth/policy.ts'
import { EVERYBODY, type Grant, type Principal } from '../../auth/principal.ts'
import type { AuthSettings } from '../../auth/settings/auth-block.ts'
import type { Flags } from '../flags.ts'
import { readClaims, toClaimant } from './claimant.ts'

/** Through whose eyes something is explained. */
export interface NamedViewer {
  readonly principal: Principal
  /** For people; undefined where nobody was named. */
  readonly remark: string | undefined
}

const ANYBODY: NamedViewer = { principal: EVERYBODY, remark: undefined }

/** Whoever the command line names. @throws CommandFailure for somebody whom the settings do not have, or do not let in */
export function findViewer(
  { as, asClaims }: Pick<Flags, 'as' | 'asClaims'>,
  auth: AuthSettings | undefined,
): NamedViewer {
  if (as !== undefined && asClaims !== undefined) {
    throw new CommandFailure(EXIT.usage, '--as and --as-claims each name somebody: give one of them')
  }
  if (asClaims === undefined) return as === undefined ? ANYBODY : toViewer(as, auth)
  const claims = readClaims(asClaims)
  if (!asksWho(auth)) return toEverybody('who has these claims')
  const principal = toClaimant(
    claims,
    createPolicy(auth, () => undefined),
  )
  return { principal, remark: `as ${principal.id}, with ${describeRights(principal)}` }
}

function toEverybody(name: string): NamedViewer {
  return { principal: EVERYBODY, remark: `nobody is asked who they are: ${name} sees what everybody sees` }
}

function describeRights({ grant, scopes, method }: Principal): string {
  if (grant === undefined)
    return method === 'jwt' ? 'no grant: none of the issuer fits' : 'the rules of the bridge alone'
  if (method !== 'jwt') return `the grant '${grant.name}'`
  const carried = scopes.length === 0 ? 'no scopes' : `the scopes ${scopes.join(', ')}`
  return `the grant '${grant.name}' and a token with ${carried}`
}

/**
 * Who is meant: `token:NAME`, `anonymous`, `local` (the client that starts the process), `bus`, or by grants who logs in,
 * `grant:NAME` or `grant:NAME,NAME`.
 *
 * @throws CommandFailure for somebody whom the settings do not have, or do not let in
 */
function toViewer(name: string, auth: AuthSettings | undefined): NamedViewer {
  if (!asksWho(auth)) {
    return toEverybody(name)
  }
  const policy = createPolicy(auth, () => undefined)
  const principal = name.startsWith('grant:') ? toLoggedIn(name, policy) : findNamed(name, policy)
  if (hasExpired(principal, Date.now())) {
    throw new CommandFailure(EXIT.failed, `${name} hears 401: its token has ended`)
  }
  return { principal, remark: `as ${name}, with ${describeRights(principal)}` }
}

function findNamed(name: string, { settings, grants, anonymous, attached, bus }: Policy): Principal {
  const token = settings.tokens.find((one) => `token:${one.name}` === name)
  if (token !== undefined) {
    const expiresAt = token.expires === undefined ? undefined : Date.parse(token.expires)
    return { id: name, method: 'token', grant: grants.get(token.grant), scopes: [], expiresAt }
  }
  if (name === 'local') return attached
  if (name === 'anonymous') return anonymous ?? refuse('callers without a token hear 401: auth has no anonymous')
  if (name === 'bus') return bus ?? refuse('a bare message on the bus is refused: auth.bus is deny')
  throw new CommandFailure(EXIT.missing, `auth has no ${name}; there are ${toNames(settings).join(', ')}`)
}

function refuse(why: string): never {
  throw new CommandFailure(EXIT.failed, why)
}

/** By grants alone: what scopes the token would have, its claims say. */
function toLoggedIn(name: string, { grants, settings }: Policy): Principal {
  const wanted = name.slice('grant:'.length).split(',')
  const found = wanted.map((one) => grants.get(one)).filter((one): one is Grant => one !== undefined)
  const grant = uniteGrants(found)
  if (grant === undefined || found.length < wanted.length) {
    throw new CommandFailure(EXIT.missing, `auth has no ${name}; there are ${toNames(settings).join(', ')}`)
  }
  return { id: name, method: 'jwt', grant, scopes: [], expiresAt: undefined }
}

function toNames({ tokens, grants, anonymous }: AuthSettings): string[] {
  return [
    ...tokens.map((token) => `token:${token.name}`),
    ...(anonymous === undefined ? [] : ['anonymous']),
    'local',
    ...Object.keys(grants).map((grant) => `grant:${grant}`),
  ]
}

import { CommandFailure, EXIT } from '@iii/sdk/cli'
import { uniteGrants } from '../../auth/issuers/unite-grants.ts'
import { createPolicy, type Policy } from '../../auth/policy.ts'
import { EVERYBODY, type Grant, type Principal } from '../../auth/principal.ts'
import type { AuthSettings } from '../../auth/settings/auth-block.ts'

/** Through whose eyes something is explained. */
export interface NamedViewer {
  readonly principal: Principal
  /** For people; undefined where nobody was named. */
  readonly remark: string | undefined
}

export const ANYBODY: NamedViewer = { principal: EVERYBODY, remark: undefined }

/**
 * Finds who is meant: `token:NAME`, `anonymous`, `local` (the client that starts the process), `bus`, or by grants who logs in,
 * `grant:NAME` or `grant:NAME,NAME`.
 *
 * @throws CommandFailure for somebody whom the settings do not have, or do not let in
 */
export function toViewer(name: string, auth: AuthSettings | undefined, now = Date.now()): NamedViewer {
  if (auth === undefined || auth.mode === 'off') {
    return { principal: EVERYBODY, remark: `nobody is asked who they are: ${name} sees what everybody sees` }
  }
  const policy = createPolicy(auth, () => undefined)
  const principal = name.startsWith('grant:') ? toLoggedIn(name, policy) : findNamed(name, policy)
  const { expiresAt, grant } = principal
  if (expiresAt !== undefined && expiresAt <= now) {
    throw new CommandFailure(EXIT.failed, `${name} hears 401: its token has ended`)
  }
  const has = grant === undefined ? 'the rules of the bridge alone' : `the grant '${grant.name}'`
  return { principal, remark: `as ${name}, with ${has}` }
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

/** Whoever logs in has the grants that the claims of the token match, and the scopes that are in it. */
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

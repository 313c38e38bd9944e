/**
 * Whether others than this machine are let in while nobody has said who of them may ask. That a proxy in front asks cannot be seen from
 * here, so it has to be said.
 */
export function isUndecided({ allowedHosts, auth }: OpenTo): boolean {
  return allowedHosts.length > 0 && auth === undefined
}

/** Whom the settings let in. */
interface OpenTo {
  readonly allowedHosts: readonly string[]
  readonly auth?: object | undefined
}

export const UNDECIDED =
  'This server answers nothing: allowed_hosts opens it to others, and its configuration file does not say who of them may ask. Give the file an auth block: mode: required with tokens, or mode: off where a proxy in front asks'

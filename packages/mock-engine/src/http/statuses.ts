import { STATUS_CODES } from 'node:http'

/** The statuses that the HTTP port sends by itself; every other one comes from a handler. */
export const STATUS = {
  /** Any `OPTIONS` request. */
  preflight: 200,
  /** A request that is no HTTP. */
  unreadable: 400,
  notFound: 404,
  methodNotAllowed: 405,
  /** A request target of more than 65 534 bytes. */
  targetTooLong: 414,
  /** A condition function said no. */
  conditionNotMet: 422,
  /** Too many or too long headers. */
  headersTooLarge: 431,
  /** A handler, a condition or a middleware failed, or a handler asked for a status that cannot be sent. */
  failed: 500,
  /** No response head in time. */
  timeout: 504,
} as const

/** Phrases of the engine that are not those of Node. */
const PHRASES: Readonly<Record<number, string>> = {
  203: 'Non Authoritative Information',
  418: "I'm a teapot",
  509: '<none>',
}

/** What stands behind a status in the first line of a response. */
export function phraseOf(status: number): string {
  return PHRASES[status] ?? STATUS_CODES[status] ?? '<none>'
}

/** Whether a response with this status tells no length when it has no body. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304
}

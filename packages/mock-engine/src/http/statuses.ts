/** The statuses that the HTTP port sends by itself; every other one comes from a handler. */
export const STATUS = {
  /** Any `OPTIONS` request. */
  preflight: 200,
  /** A request that is no HTTP. */
  unreadable: 400,
  notFound: 404,
  methodNotAllowed: 405,
  /** A condition function said no. */
  conditionNotMet: 422,
  /** Too many or too long headers. */
  headersTooLarge: 431,
  /** A handler, a condition or a middleware failed, or a handler asked for a status that cannot be sent. */
  failed: 500,
  /** No response head in time. */
  timeout: 504,
} as const

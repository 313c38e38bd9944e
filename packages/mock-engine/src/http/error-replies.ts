import { randomBytes } from 'node:crypto'
import { objectText, quote } from '../json/build.ts'
import type { WireError } from '../wire/frames.ts'
import { createHeaderList } from './header-list.ts'
import type { Reply } from './return-value.ts'
import { STATUS } from './statuses.ts'

/** The answer when no route has the path. */
export function notFound(): Reply {
  return json(STATUS.notFound, objectText({ error: objectText({ code: '"NOT_FOUND"', message: '"Not Found"' }) }))
}

/** The answer when the path has other methods. */
export function methodNotAllowed(methods: readonly string[]): Reply {
  const headers = createHeaderList()
  headers.set('allow', allowList(methods))
  return { status: STATUS.methodNotAllowed, headers, body: '' }
}

/** Who can `GET` may ask for the head, says the list, also where `HEAD` is in it already. */
export function allowList(methods: readonly string[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(',')
}

/** The answer when a handler, a condition or a middleware failed; the stack stays inside. */
export function failed(error: WireError): Reply {
  const envelope = objectText({
    code: quote(error.code),
    message: quote(error.message),
    error_id: quote(randomBytes(6).toString('hex')),
  })
  return json(STATUS.failed, objectText({ error: envelope }))
}

/** The answer when the condition function said no. */
export function conditionNotMet(): Reply {
  const error = objectText({ code: '"CONDITION_NOT_MET"', message: '"Request condition not met"' })
  return json(STATUS.conditionNotMet, objectText({ error, skipped: 'true' }))
}

function json(status: number, body: string): Reply {
  const headers = createHeaderList()
  headers.set('content-type', 'application/json')
  return { status, headers, body }
}

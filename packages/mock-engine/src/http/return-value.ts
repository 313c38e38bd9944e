import { toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import { addHandlerHeaders, addObjectHeaders, createHeaderList, type HeaderList } from './header-list.ts'

/** A complete response. */
export interface Reply {
  readonly status: number
  readonly headers: HeaderList
  readonly body: string
}

/** Reads a handler's return value as a response: `status_code`, `headers` and `body` of an object, all optional. */
export function toReply(result: JsonText): Reply {
  const members = toMembers(result)
  const status = toStatus(members?.get('status_code'))
  const headers = createHeaderList()
  addHandlerHeaders(headers, members?.get('headers'))
  const body = members?.get('body') ?? '{}'
  if (headers.has('content-type')) return { status, headers, body: toTyped(body) }
  headers.set('content-type', 'application/json')
  return { status, headers, body }
}

/** Reads what a middleware responds with: `status_code` and `headers`, an object, as of a handler, and any `body` as JSON. */
export function toMiddlewareReply(response: JsonText): Reply {
  const members = toMembers(response)
  const headers = createHeaderList()
  addObjectHeaders(headers, members?.get('headers') ?? '{}')
  if (!headers.has('content-type')) headers.set('content-type', 'application/json')
  return { status: toStatus(members?.get('status_code')), headers, body: members?.get('body') ?? 'null' }
}

/** With a content type of its own a string is sent as it is, null is no body, and everything else is JSON. */
function toTyped(body: JsonText): string {
  return body === 'null' ? '' : (toStringValue(body) ?? body)
}

/** A status is an integer from 100 to 999, in its lowest 16 bits; anything else counts as 200. */
function toStatus(text: JsonText | undefined): number {
  if (text === undefined || !/^\d+$/.test(text)) return 200
  const status = Number(BigInt(text) & 0xffffn)
  return status >= 100 && status <= 999 ? status : 200
}

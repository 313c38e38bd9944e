import type { Sink } from '../channels/pipe.ts'
import { toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import { parseJson } from '../json/parse.ts'
import { createHeaderList, type HeaderList, mergeHeaders } from './header-list.ts'
import type { Responder } from './responder.ts'

/**
 * Takes what a handler writes to its response channel. Text items set status and headers, binary items are the body; the
 * first of them, or the end, sends the head. After a return value has answered, nothing is taken any more.
 *
 * @param begun - told when the head goes out this way.
 */
export function createResponseSink(responder: Responder, begun: () => void): Sink {
  const headers = createHeaderList()
  let status = 200
  let streaming = false

  function begin(): boolean {
    if (streaming) return responder.open
    if (responder.settled) return false
    streaming = true
    begun()
    responder.begin(status, headers)
    return true
  }

  return {
    send({ data, binary }, done) {
      if (binary && data.length > 0) {
        if (begin()) responder.write(data, done)
        else done(false)
        return
      }
      if (!binary && !streaming) status = control(data.toString(), headers) ?? status
      done(responder.open && (streaming || !responder.settled))
    },
    end() {
      if (begin()) responder.end()
    },
  }
}

/** Carries out a control message; returns the status it sets. Anything else is ignored. */
function control(text: string, headers: HeaderList): number | undefined {
  const members = toMembers(parseJson(text) ?? 'null')
  const type = toStringValue(members?.get('type'))
  if (type === 'set_headers') mergeHeaders(headers, members?.get('headers') ?? 'null')
  return type === 'set_status' ? toStatus(members?.get('status_code')) : undefined
}

function toStatus(text: JsonText | undefined): number | undefined {
  const status = text !== undefined && /^\d{3}$/.test(text) ? Number(text) : 0
  return status >= 100 && status <= 599 ? status : undefined
}

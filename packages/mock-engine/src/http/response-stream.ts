import type { Sink } from '../channels/pipe.ts'
import { toMembers, toStringValue } from '../json/build.ts'
import { formatObject, type JsonText } from '../json/json-text.ts'
import { parseJson } from '../json/parse.ts'
import { addHandlerHeaders, createHeaderList } from './header-list.ts'
import type { Responder } from './responder.ts'

/**
 * Takes what a handler writes to its response channel. Text items set status and headers, binary items are the body; the
 * first of them, an empty one too, or the end, sends the head. Beyond the length that the handler tells nothing is sent. After a return value has answered, nothing is taken any more.
 *
 * @param begun - told when the head goes out this way.
 */
export function createResponseSink(responder: Responder, begun: () => void): Sink {
  // Told apart by the case of their letters, too: what is said in two spellings is sent twice.
  const said = new Map<string, JsonText>()
  let status = 200
  let streaming = false
  let room = Number.POSITIVE_INFINITY

  function begin(): boolean {
    if (streaming) return responder.open
    if (responder.settled) return false
    streaming = true
    begun()
    const headers = createHeaderList()
    addHandlerHeaders(headers, formatObject(said))
    const length = headers.get('content-length')
    if (length !== undefined && /^\d+$/.test(length)) room = Number(length)
    responder.begin(status, headers)
    return true
  }

  function write(data: Buffer, done: (delivered: boolean) => void): void {
    const began = begin()
    const piece = data.subarray(0, room)
    room -= piece.length
    if (began && (piece.length > 0 || data.length === 0)) responder.write(piece, done)
    else done(false)
  }

  return {
    send({ data, binary }, done) {
      if (binary) {
        write(data, done)
        return
      }
      if (!streaming) status = control(data.toString(), said) ?? status
      done(responder.open && (streaming || !responder.settled))
    },
    end() {
      if (begin()) responder.end()
    },
  }
}

/** Carries out a control message; returns the status it sets. Anything else is ignored. */
function control(text: string, said: Map<string, JsonText>): number | undefined {
  const members = toMembers(parseJson(text) ?? 'null')
  const type = toStringValue(members?.get('type'))
  if (type === 'set_headers') {
    for (const [name, value] of toMembers(members?.get('headers') ?? 'null') ?? []) {
      if (toStringValue(value) !== undefined) said.set(name, value)
    }
  }
  return type === 'set_status' ? toStatus(members?.get('status_code')) : undefined
}

function toStatus(text: JsonText | undefined): number | undefined {
  const status = text !== undefined && /^\d{3}$/.test(text) ? Number(text) : 0
  return status >= 100 && status <= 599 ? status : undefined
}

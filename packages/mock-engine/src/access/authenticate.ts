import type { IncomingMessage } from 'node:http'
import type { Bus } from '../bus/bus.ts'
import type { WireError } from '../bus/frames.ts'
import type { Session } from '../bus/workers.ts'
import { objectText, quote } from '../json/build.ts'
import { arrayText, formatObject, type JsonText } from '../json/json-text.ts'
import type { ExposeRule } from './expose.ts'
import { createSession } from './session.ts'

/** A second bus listener whose workers may do less. */
export interface RestrictedListener {
  /** 0 takes any free port. @default 0 */
  readonly port?: number
  /** Function that decides who may connect; it gets headers, query and address. Without it everybody may. */
  readonly authFunctionId?: string
  /** What its workers may call. @default [] */
  readonly expose?: readonly ExposeRule[]
}

/** Asks the auth function about a connection: its rights, or why it is refused. */
export async function authenticate(
  bus: Bus,
  { authFunctionId, expose = [] }: RestrictedListener,
  request: IncomingMessage,
): Promise<Session | WireError> {
  if (authFunctionId === undefined) return createSession(bus.functions, expose, '{}')
  const data = objectText({
    headers: formatObject(headersOf(request)),
    query_params: formatObject(queryOf(request.url ?? '')),
    ip_address: quote(addressOf(request)),
  })
  const { result, error } = await bus.calls.ask({ functionId: authFunctionId, data })
  return error ? { code: 'AUTH_ERROR', message: error.message } : createSession(bus.functions, expose, result ?? '{}')
}

/** The peer's address, an IPv4 one in its own notation. */
export function addressOf(request: IncomingMessage): string {
  return (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
}

function headersOf({ rawHeaders }: IncomingMessage): Map<string, JsonText> {
  const headers = new Map<string, JsonText>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    headers.set((rawHeaders[i] ?? '').toLowerCase(), quote(rawHeaders[i + 1] ?? ''))
  }
  return headers
}

/** Every value of every name, as it stands in the address. */
function queryOf(url: string): Map<string, JsonText> {
  const values = new Map<string, string[]>()
  for (const pair of (url.split('?')[1] ?? '').split('&')) {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    if (pair !== '') values.set(name, [...(values.get(name) ?? []), value])
  }
  return new Map([...values].map(([name, list]) => [name, arrayText(list.map(quote))]))
}

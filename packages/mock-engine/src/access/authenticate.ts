import type { IncomingMessage } from 'node:http'
import { Mismatch } from '../builtins/mismatch.ts'
import type { Bus } from '../bus/bus.ts'
import type { ListenerSession } from '../bus/workers.ts'
import { addressOf } from '../connections/bus-port.ts'
import { objectText, quote } from '../json/build.ts'
import { arrayText, formatObject, type JsonText } from '../json/json-text.ts'
import type { WireError } from '../wire/frames.ts'
import type { RestrictedListener } from './restricted-listener.ts'
import { createSession } from './session.ts'

/** Asks the auth function about a connection: its rights, or why it is refused. */
export async function authenticate(
  bus: Bus,
  listener: RestrictedListener,
  request: IncomingMessage,
): Promise<ListenerSession | WireError> {
  const { authFunctionId } = listener
  if (authFunctionId === undefined) return createSession(bus, listener, '{}')
  const data = objectText({
    headers: formatObject(headersOf(request)),
    query_params: formatObject(queryOf(request.url ?? '')),
    ip_address: quote(addressOf(request)),
  })
  const { result, error } = await bus.calls.ask({ functionId: authFunctionId, data })
  if (error) return refuse(error.message)
  if (result === undefined) return refuse('auth function returned no result')
  try {
    return createSession(bus, listener, result)
  } catch (problem) {
    if (problem instanceof Mismatch) return refuse(problem.message)
    throw problem
  }
}

function refuse(message: string): WireError {
  return { code: 'AUTH_ERROR', message }
}

/** The last of repeated ones counts, and one with a byte beyond ASCII is not there. */
function headersOf({ rawHeaders }: IncomingMessage): Map<string, JsonText> {
  const headers = new Map<string, JsonText>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const value = rawHeaders[i + 1] ?? ''
    if (/^[\t -~]*$/.test(value)) headers.set((rawHeaders[i] ?? '').toLowerCase(), quote(value))
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

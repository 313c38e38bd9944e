import { request, validateHeaderValue } from 'node:http'
import fc from 'fast-check'
import { almostJson, anyText } from '../inputs.ts'
import { type FuzzTarget, inTime, requireNoLeak, requireRpc } from '../target.ts'

interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const TYPES = ['application/json', 'application/json; charset=utf-16', 'text/plain', 'multipart/form-data; boundary=x']
const STATUSES = [200, 202, 204, 400, 401, 403, 404, 405, 406, 413, 415, 429, 503]

const header = anyText.filter((value) => {
  try {
    validateHeaderValue('x', value)
    return value.length < 2_000
  } catch {
    return false
  }
})

const headers = fc.record(
  {
    'content-type': fc.oneof(
      { weight: 6, arbitrary: fc.constant('application/json') },
      fc.constantFrom(...TYPES),
      header,
    ),
    accept: fc.oneof(fc.constantFrom('application/json, text/event-stream', 'text/event-stream', '*/*'), header),
    'mcp-session-id': header,
    'mcp-protocol-version': fc.oneof(fc.constantFrom('2025-11-25', '2026-07-28', '2025-06-18'), header),
    ...{ 'mcp-method': header, 'mcp-name': header, authorization: header, origin: header, 'last-event-id': header },
    ...{ traceparent: header, baggage: header, 'content-encoding': fc.constantFrom('gzip', 'br', 'identity') },
  },
  { requiredKeys: ['content-type'] },
)

const sent: fc.Arbitrary<Sent> = fc.record({
  method: fc.oneof({ weight: 8, arbitrary: fc.constant('POST') }, fc.constantFrom('GET', 'DELETE', 'HEAD', 'PUT')),
  headers,
  body: almostJson,
})

/** Bodies and headers, to the endpoint as it is reached. */
export function createHttpTarget(url: string): FuzzTarget<readonly Sent[]> {
  return {
    name: 'http',
    input: fc.array(sent, { minLength: 8, maxLength: 24 }),
    count: (all) => all.length,
    run: async (all) => void (await Promise.all(all.map((one) => judge(url, one)))),
    async serves() {
      const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
      const { status } = await send(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      if (status !== 200) throw new Error(`a good request over HTTP is answered with ${status}`)
    },
  }
}

async function judge(url: string, one: Sent): Promise<void> {
  const { status, type, body } = await inTime('a request over HTTP', send(url, one))
  if (!STATUSES.includes(status)) throw new Error(`answered with ${status}: ${body.slice(0, 500)}`)
  requireNoLeak(body)
  if (type.startsWith('application/json') && body !== '' && status !== 405) requireRpc(JSON.parse(body))
}

/** @returns as soon as it is over, or a stream has begun: who listens may wait for ever */
function send(
  url: string,
  { method, headers: own, body }: Sent,
): Promise<{ status: number; type: string; body: string }> {
  return new Promise((resolve, reject) => {
    const isBodiless = method === 'GET' || method === 'HEAD'
    // Node tells no length of what a DELETE says, and the engine reads it as the next request then.
    const length = isBodiless ? {} : { 'content-length': Buffer.byteLength(body) }
    const outgoing = request(url, { method, headers: { ...own, ...length } }, (response) => {
      const chunks: Buffer[] = []
      const type = String(response.headers['content-type'] ?? '')
      const answer = () => ({ status: response.statusCode ?? 0, type, body: Buffer.concat(chunks).toString() })
      response.on('error', () => resolve(answer()))
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve(answer()))
      if (type.startsWith('text/event-stream')) {
        setTimeout(() => {
          resolve(answer())
          response.destroy()
        }, 50)
      }
    })
    outgoing.on('error', reject)
    outgoing.end(isBodiless ? undefined : body)
  })
}

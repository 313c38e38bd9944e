import type { RawRequest } from './http-request.ts'

/** What comes back for a bad request: the HTTP status, and the JSON-RPC error with the id where there is one. */
export interface BadInputReply {
  status: number
  code: number
  message: RegExp
  id: number | null
}

function json(body: string): RawRequest {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body }
}

function invalid(message: RegExp, id: number | null = null): BadInputReply {
  return { status: 400, code: -32600, message, id }
}

/** Another text of the same form: never by chance what was handed out, whose end is random. */
export function forge(token: string): string {
  return `${token.slice(0, -2)}${token.endsWith('AA') ? 'BA' : 'AA'}`
}

const PARSE_ERROR: BadInputReply = { status: 400, code: -32700, message: /Parse error/, id: null }
const NO_OBJECT = invalid(/must be a JSON object/)
const WRONG_TYPE: BadInputReply = { status: 415, code: -32000, message: /application\/json/, id: null }
const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}'

/** Requests that no client should send, and what they are answered with. */
export const badInput: readonly (readonly [what: string, RawRequest, BadInputReply])[] = [
  ['text that is no JSON', json('{"jsonrpc":'), PARSE_ERROR],
  ['an empty body', json(''), PARSE_ERROR],
  ['null', json('null'), NO_OBJECT],
  ['a number', json('42'), NO_OBJECT],
  ['a string', json('"ping"'), NO_OBJECT],
  ['an empty object', json('{}'), invalid(/jsonrpc/)],
  [
    'another version of JSON-RPC',
    json('{"jsonrpc":"1.0","id":7,"method":"ping"}'),
    invalid(/"jsonrpc" must be "2.0"/, 7),
  ],
  ['no method', json('{"jsonrpc":"2.0","id":7}'), invalid(/"method"/, 7)],
  ['a method that is no string', json('{"jsonrpc":"2.0","id":7,"method":1}'), invalid(/"method"/, 7)],
  ['an id that is an object', json('{"jsonrpc":"2.0","id":{},"method":"ping"}'), invalid(/"id"/)],
  ['an id that is null', json('{"jsonrpc":"2.0","id":null,"method":"ping"}'), invalid(/"id"/)],
  ['a batch', json(`[${PING},${PING}]`), invalid(/^Batch requests are not supported$/)],
  [
    'params that are no object',
    json('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}'),
    { status: 400, code: -32602, message: /"params" must be an object/, id: 7 },
  ],
  [
    'a tool call without a name',
    json('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{}}}'),
    { status: 200, code: -32602, message: /name/, id: 7 },
  ],
  [
    'a number beyond 2^53 in the arguments',
    json(
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"orders__list","arguments":{"limit":9007199254740993}}}',
    ),
    { status: 200, code: -32602, message: /send it as a string/, id: 7 },
  ],
  [
    'an unknown method',
    json('{"jsonrpc":"2.0","id":7,"method":"tools/destroy"}'),
    { status: 200, code: -32601, message: /tools\/destroy/, id: 7 },
  ],
  [
    'an unknown tool',
    json('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"no__such"}}'),
    { status: 200, code: -32602, message: /^Unknown tool: no__such\. /, id: 7 },
  ],
  ['another content type', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: PING }, WRONG_TYPE],
  ['no content type', { method: 'POST', body: PING }, WRONG_TYPE],
]

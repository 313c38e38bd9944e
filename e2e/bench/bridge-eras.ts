/** How clients of the two eras speak: within a session, or with everything in each request. */

export const ERAS = ['session', 'stateless'] as const
export type ClientEra = (typeof ERAS)[number]

export interface BenchRequest {
  readonly body: object
  readonly headers: Readonly<Record<string, string>>
}

/** Writes requests as a client of an era does. */
export type RequestWriter = (method: string, params?: Readonly<Record<string, unknown>>) => BenchRequest

const CLIENT = { name: 'bench', version: '0.0.0' }
const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
const SESSION_REVISION = '2025-11-25'
const STATELESS_REVISION = '2026-07-28'

export async function connectWriter(era: ClientEra, mcpUrl: string): Promise<RequestWriter> {
  return era === 'session' ? await openSession(mcpUrl) : writeStateless
}

/** Sends a message once. @throws when it is not answered with a result */
export async function post(url: string, { body, headers }: BenchRequest): Promise<{ text: string; headers: Headers }> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok || text.includes('"error":'))
    throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`)
  return { text, headers: response.headers }
}

async function openSession(mcpUrl: string): Promise<RequestWriter> {
  const params = { protocolVersion: SESSION_REVISION, capabilities: {}, clientInfo: CLIENT }
  const opened = await post(mcpUrl, { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params }, headers: ACCEPT })
  const sessionId = opened.headers.get('mcp-session-id') ?? ''
  const headers = { ...ACCEPT, 'mcp-session-id': sessionId, 'mcp-protocol-version': SESSION_REVISION }
  await post(mcpUrl, { body: { jsonrpc: '2.0', method: 'notifications/initialized' }, headers })
  return (method, params = {}) => ({ body: { jsonrpc: '2.0', id: 1, method, params }, headers })
}

const META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS_REVISION,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
}

const writeStateless: RequestWriter = (method, params = {}) => ({
  body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } },
  headers: {
    ...ACCEPT,
    'mcp-protocol-version': STATELESS_REVISION,
    'mcp-method': method,
    ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
  },
})

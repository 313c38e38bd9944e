const REVISION = '2026-07-28'

/** A request of that revision, which says all about itself. */
export interface StatelessRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly params: Readonly<Record<string, unknown>>
}

/** What each request of 2026-07-28 has in its `_meta`. */
export function toStatelessMeta(capabilities: object = {}): Readonly<Record<string, unknown>> {
  return {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
}

/** @param params with what else they have in their `_meta` */
export function toStateless(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  capabilities: object = {},
): StatelessRequest {
  const name = params['name'] ?? params['uri'] ?? params['taskId']
  const named = typeof name === 'string' ? { 'mcp-name': name } : {}
  const _meta = { ...(params['_meta'] as object | undefined), ...toStatelessMeta(capabilities) }
  return {
    headers: { 'mcp-protocol-version': REVISION, 'mcp-method': method, ...named },
    params: { ...params, _meta },
  }
}

import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

/**
 * The MCP clients that scenarios use: two independent implementations, the newer one in both of its eras. Each is the
 * official client as a host would use it; here they only get one face.
 */
export const CLIENT_KINDS = ['sdk 1.x', 'client 2.x', 'client 2.x on 2026-07-28'] as const
export type ClientKind = (typeof CLIENT_KINDS)[number]

export interface ListedTool {
  name: string
  title?: string | undefined
  description?: string | undefined
  inputSchema: { type: 'object'; properties?: Record<string, unknown> | undefined; required?: string[] | undefined }
  outputSchema?: object | undefined
  annotations?: object | undefined
}

export interface CalledResult {
  content: { type: string; text?: string | undefined }[]
  structuredContent?: unknown
  isError?: boolean | undefined
}

export interface ConnectedClient extends AsyncDisposable {
  readonly protocolVersion: string | undefined
  readonly serverInfo: { name: string; version: string } | undefined
  readonly sessionId: string | undefined
  ping(): Promise<unknown>
  listTools(): Promise<ListedTool[]>
  callTool(name: string, args?: Record<string, unknown>): Promise<CalledResult>
  listResources(): Promise<{ uri: string; name: string; mimeType?: string | undefined }[]>
  listResourceTemplates(): Promise<{ uriTemplate: string; name: string }[]>
  readResource(uri: string): Promise<{ uri: string; text?: string | undefined; mimeType?: string | undefined }[]>
  listPrompts(): Promise<{ name: string; description?: string | undefined; arguments?: object[] | undefined }[]>
  getPrompt(
    name: string,
    args?: Record<string, string>,
  ): Promise<{ description?: string | undefined; messages: { role: string; content: unknown }[] }>
}

const INFO = { name: 'e2e', version: '0.0.0' }

export async function connectClient(kind: ClientKind, mcpUrl: string): Promise<ConnectedClient> {
  return kind === 'sdk 1.x' ? await connectOld(mcpUrl) : await connectNew(mcpUrl, kind === 'client 2.x on 2026-07-28')
}

async function connectOld(mcpUrl: string): Promise<ConnectedClient> {
  const client = new Client(INFO)
  const transport = new StreamableHTTPClientTransport(new URL(mcpUrl))
  // The package's own types disagree about optional fields under `exactOptionalPropertyTypes`.
  await client.connect(transport as Transport)
  return {
    protocolVersion: transport.protocolVersion,
    serverInfo: client.getServerVersion(),
    sessionId: transport.sessionId,
    ping: () => client.ping(),
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args) => (await client.callTool({ name, arguments: args })) as CalledResult,
    listResources: async () => (await client.listResources()).resources,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    readResource: async (uri) => (await client.readResource({ uri })).contents,
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

async function connectNew(mcpUrl: string, modern: boolean): Promise<ConnectedClient> {
  const client = new NewClient(INFO, { versionNegotiation: { mode: modern ? { pin: '2026-07-28' } : 'legacy' } })
  const transport = new NewTransport(new URL(mcpUrl))
  await client.connect(transport)
  return {
    protocolVersion: client.getNegotiatedProtocolVersion(),
    serverInfo: client.getServerVersion(),
    sessionId: transport.sessionId,
    ping: () => client.ping(),
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args) => (await client.callTool({ name, arguments: args ?? {} })) as CalledResult,
    listResources: async () => (await client.listResources()).resources,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    readResource: async (uri) => (await client.readResource({ uri })).contents,
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args ?? {} }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

import { isRecord, type JsonObject } from '@iii/protocol'
import type { HttpAddress } from '@iii/sdk'
import { ASK_MS, askHttp, type HttpAnswer } from '@iii/sdk/cli'
import { RPC } from '../../mcp/rpc.ts'

/** A handshake, of which the bridge keeps nothing. */
export const GREETING = {
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'iii-mcp doctor', version: '1' },
    },
  },
  headers: { accept: 'application/json, text/event-stream' },
} as const

/** @returns undefined when nobody answers */
export function askEndpoint(address: HttpAddress, path: string): Promise<HttpAnswer | undefined> {
  return askHttp(address, { method: 'POST', path, ...GREETING, timeoutMs: ASK_MS }).catch(() => undefined)
}

const NAME = 'iii-mcp'

/** What an answer says of who gave it. */
export type Greeting =
  /** A bridge that lets in whoever comes. */
  | { readonly kind: 'serves'; readonly server: JsonObject }
  | { readonly kind: 'asks' }
  /** One that answers nothing, and why. */
  | { readonly kind: 'refuses'; readonly text: string }
  | { readonly kind: 'foreign' }

export function readGreeting({ status, json }: HttpAnswer): Greeting {
  const result = json?.['result']
  const server = isRecord(result) && isRecord(result['serverInfo']) ? result['serverInfo'] : undefined
  if (server?.['name'] === NAME) return { kind: 'serves', server }
  const error = json?.['error']
  if (!isRecord(error)) return { kind: 'foreign' }
  if (status === 401 && error['code'] === RPC.unauthorized) return { kind: 'asks' }
  const { message } = error
  return status === 503 && typeof message === 'string' ? { kind: 'refuses', text: message } : { kind: 'foreign' }
}

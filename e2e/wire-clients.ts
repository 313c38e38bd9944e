import { stdioBridge } from './programs.ts'
import { openSession, postRequest, postStateless, type SentMessage } from './raw-client.ts'
import { toStatelessMeta } from './stateless.ts'
import { startStdio } from './stdio-process.ts'

/** One face for what MCP is on the wire: both transports, each in both eras. Nothing in between makes it prettier. */
export const WIRES = ['HTTP in a session', 'HTTP on 2026-07-28', 'stdio in a session', 'stdio on 2026-07-28'] as const
export type Wire = (typeof WIRES)[number]

export interface WireClient {
  ask(method: string, params?: Readonly<Record<string, unknown>>): Promise<SentMessage>
}

/** What both eras say about the client, so that functions may run as tasks for it where there are tasks. */
const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const SESSION_REVISION = '2025-11-25'

export interface WireClients extends AsyncDisposable {
  readonly clients: Readonly<Record<Wire, WireClient>>
}

/**
 * Clients of a bridge behind an address, and of one that is started for them.
 *
 * @param more what they are capable of beside tasks
 */
export async function connectWires(
  { engineUrl, mcpUrl }: { readonly engineUrl: string; readonly mcpUrl: string },
  stdioFlags: readonly string[] = [],
  more: object = {},
): Promise<WireClients> {
  const capabilities = { ...CAPABILITIES, ...more }
  const _meta = toStatelessMeta(capabilities)
  const identity = await openSession(mcpUrl, capabilities, SESSION_REVISION)
  const bridge = startStdio(stdioBridge(engineUrl, stdioFlags))
  const clientInfo = { name: 'wire', version: '1' }
  await bridge.request('initialize', { protocolVersion: SESSION_REVISION, capabilities, clientInfo })
  return {
    clients: {
      'HTTP in a session': { ask: async (...request) => last(await postRequest(mcpUrl, identity, ...request).over) },
      'HTTP on 2026-07-28': {
        ask: async (method, params) => last(await postStateless(mcpUrl, method, params, capabilities).over),
      },
      'stdio in a session': { ask: (method, params) => bridge.request(method, params) },
      'stdio on 2026-07-28': { ask: (method, params) => bridge.request(method, { ...params, _meta }) },
    },
    [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose](),
  }
}

function last(messages: readonly SentMessage[]): SentMessage {
  const reply = messages.at(-1)
  if (reply === undefined) throw new Error('There was no reply')
  return reply
}

/** A reply as a cell of a table: the text of a result with `isError`, code and message of an error, else `allowed`. */
export function toCell({ result, error }: SentMessage): string {
  if (error !== undefined) return `${error.code} ${error.message}`
  if (result?.['isError'] !== true) return 'allowed'
  const [block] = result['content'] as { text?: string }[]
  return block?.text ?? ''
}

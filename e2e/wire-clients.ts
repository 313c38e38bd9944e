import { stdioBridge } from './programs.ts'
import { type Message, openSession, postRequest, postStateless } from './raw-client.ts'
import { startStdio } from './stdio-process.ts'

/** One face for what MCP is on the wire: both transports, each in both eras. Nothing in between makes it prettier. */
export const WIRES = ['HTTP in a session', 'HTTP on 2026-07-28', 'stdio in a session', 'stdio on 2026-07-28'] as const
export type Wire = (typeof WIRES)[number]

export interface WireClient {
  ask(method: string, params?: Readonly<Record<string, unknown>>): Promise<Message>
}

/** What both eras say about the client, so that functions may run as tasks for it where there are tasks. */
const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: CAPABILITIES,
  clientInfo: { name: 'wire', version: '1' },
}
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
}

/** Both eras of a bridge behind an address. */
export async function connectHttp(url: string): Promise<{ session: WireClient; stateless: WireClient }> {
  const identity = await openSession(url, CAPABILITIES, '2025-11-25')
  return {
    session: { ask: async (method, params) => last(await postRequest(url, identity, method, params).over) },
    stateless: { ask: async (method, params) => last(await postStateless(url, method, params, CAPABILITIES).over) },
  }
}

/** Both eras of a bridge that is started for them, in one process. */
export async function connectStdio(
  engineUrl: string,
  flags: readonly string[],
): Promise<{ session: WireClient; stateless: WireClient } & AsyncDisposable> {
  const bridge = startStdio(stdioBridge(engineUrl, flags))
  await bridge.request('initialize', INITIALIZE)
  return {
    session: { ask: (method, params) => bridge.request(method, params) },
    stateless: { ask: (method, params) => bridge.request(method, { ...params, _meta }) },
    [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose](),
  }
}

function last(messages: readonly Message[]): Message {
  const reply = messages.at(-1)
  if (reply === undefined) throw new Error('There was no reply')
  return reply
}

/** A reply as a cell of a table: the text of a result with `isError`, code and message of an error, else `allowed`. */
export function toCell({ result, error }: Message): string {
  if (error !== undefined) return `${error.code} ${error.message}`
  if (result?.['isError'] !== true) return 'allowed'
  const [block] = result['content'] as { text?: string }[]
  return block?.text ?? ''
}

import { toToolError } from '@iii/protocol'
import { type Era, type McpCall, type McpClient, type McpResult, readyMembers, toClient } from './call.ts'
import { META, negotiateRevision, STATELESS_REVISION } from './era.ts'
import type { Prompts } from './prompts.ts'
import type { Resources } from './resources.ts'
import { isObject, type JsonObject, RPC, RpcError, toRpcError } from './rpc.ts'
import type { Slots } from './slots.ts'
import type { Tools } from './tools.ts'

/** The rooms behind the methods. */
export interface Rooms {
  readonly tools: Tools
  readonly resources: Resources
  readonly prompts: Prompts
}

export interface ServerOptions extends Rooms {
  /** Bounds the calls that reach functions. */
  readonly slots: Slots
  readonly version: string
}

/** What an `initialize` asks for, and what the session that it opens is made of. */
export interface SessionRequest {
  readonly revision: string
  readonly client: McpClient | undefined
  readonly capabilities: JsonObject
}

/** MCP, for every transport: a carrier looks at the facts of a method, makes a call, and sends the text. */
export interface McpServer {
  /** The parameter that a 2026-07-28 client repeats in a header, for methods that have one. */
  nameParam(method: string): string | undefined
  /** What a request opens a session with, for the method that does. */
  sessionRequest(method: string, params: JsonObject): SessionRequest | undefined
  /** @returns the result as JSON text, complete for the era of the call. @throws RpcError, and nothing else */
  handle(method: string, params: JsonObject, call: McpCall): Promise<string>
}

interface Method {
  readonly run: (params: JsonObject, call: McpCall) => McpResult | Promise<McpResult>
  /** Where it exists. @default all eras */
  readonly eras?: readonly Era[]
  /** How long a 2026-07-28 client may keep the result; undefined for results that are not kept. */
  readonly ttlMs?: number
  readonly nameParam?: string
  /** It may end in a call of somebody's function. */
  readonly reaches?: true
}

const HANDSHAKE: readonly Era[] = ['session', 'plain']

const INSTRUCTIONS = [
  'Tools are functions of an iii engine: a tool named orders__create is the function orders::create.',
  'How and when to use them is written in skills: read iii://skills for the index, then the iii://… links that it and',
  'the skills contain, with resources/read or, several at once, with the tool skill__fetch.',
  'iii://fn/… addresses are live: a function renders them when they are read.',
].join(' ')

/** The method table. */
export function createServer({ tools, resources, prompts, slots, version }: ServerOptions): McpServer {
  const serverInfo = { name: 'iii-mcp', title: 'iii engine', version }
  const capabilities = { tools: {}, resources: {}, prompts: {} }

  const methods = new Map<string, Method>(
    Object.entries<Method>({
      initialize: {
        run: ({ protocolVersion }) => ({
          protocolVersion: negotiateRevision(protocolVersion),
          capabilities,
          serverInfo,
          instructions: INSTRUCTIONS,
        }),
        eras: HANDSHAKE,
      },
      ping: { run: () => ({}), eras: HANDSHAKE },
      'server/discover': {
        run: () => ({ supportedVersions: [STATELESS_REVISION], capabilities, instructions: INSTRUCTIONS }),
        eras: ['stateless'],
        ttlMs: 60_000,
      },
      'tools/list': { run: () => tools.list(), ttlMs: 5_000 },
      'tools/call': { run: (params, call) => tools.call(params, call), nameParam: 'name', reaches: true },
      'resources/list': { run: (_, call) => resources.list(call), ttlMs: 5_000 },
      'resources/templates/list': { run: (_, call) => resources.templates(call), ttlMs: 5_000 },
      'resources/read': {
        run: (params, call) => resources.read(params, call),
        nameParam: 'uri',
        reaches: true,
        ttlMs: 0,
      },
      'prompts/list': { run: (_, call) => prompts.list(call), ttlMs: 5_000 },
      'prompts/get': { run: (params, call) => prompts.get(params, call), nameParam: 'name', reaches: true },
    }),
  )

  return {
    nameParam: (method) => methods.get(method)?.nameParam,
    sessionRequest(method, params) {
      if (method !== 'initialize') return undefined
      const declared = params['capabilities']
      return {
        revision: negotiateRevision(params['protocolVersion']),
        client: toClient(params['clientInfo']),
        capabilities: isObject(declared) ? declared : {},
      }
    },
    async handle(name, params, call) {
      const method = methods.get(name)
      if (method === undefined || method.eras?.includes(call.era) === false) {
        throw new RpcError(RPC.methodNotFound, `Method not found: ${name.slice(0, 128).toWellFormed()}`)
      }
      try {
        const work = async () => method.run(params, call)
        const result = await (method.reaches ? slots.run(work) : work())
        const text = toResultText(result, method, call, serverInfo)
        return isTooLarge(text, call) ? replaceTooLarge(name, text, method, call, serverInfo) : text
      } catch (error) {
        throw toRpcError(error)
      }
    },
  }
}

type ServerInfo = Readonly<Record<'name' | 'title' | 'version', string>>

/** The result as the era of the call wants it. A ready one is only ever put together, not read again. */
function toResultText(result: McpResult, { ttlMs }: Method, { era }: McpCall, serverInfo: ServerInfo): string {
  const members = readyMembers(result)
  if (era !== 'stateless') return members === undefined ? JSON.stringify(result) : `{${members}}`
  const own = isObject(result) && isObject(result['_meta']) ? result['_meta'] : {}
  const frame = {
    resultType: 'complete',
    ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: 'private' }),
    ...result,
    _meta: { ...own, [META.serverInfo]: serverInfo },
  }
  return members === undefined ? JSON.stringify(frame) : `${JSON.stringify(frame).slice(0, -1)},${members}}`
}

/** What a transport adds around a reply, at the most: the envelope, escapes, a frame of its own. */
const FRAME_BYTES = 4_096

/** Most replies are far from the limit; only a long one is measured as it will travel: as a string within JSON. */
function isTooLarge(text: string, { limits }: McpCall): boolean {
  const worstCaseBytes = text.length * 6 + FRAME_BYTES
  if (worstCaseBytes <= limits.replyBytes) return false
  return Buffer.byteLength(JSON.stringify(text)) + FRAME_BYTES > limits.replyBytes
}

function replaceTooLarge(name: string, text: string, method: Method, call: McpCall, serverInfo: ServerInfo): string {
  const size = (text.length / 1_048_576).toFixed(1)
  const message = `The result is too large to be sent (about ${size} MiB; at most ${call.limits.replyBytes / 1_048_576} MiB); ask for less`
  // A model reads the error of a tool; any other error only its host does.
  if (name === 'tools/call') return toResultText({ ...toToolError(message) }, method, call, serverInfo)
  throw new RpcError(RPC.internal, message)
}

import type { Logger } from '@iii/sdk'
import type { CallFeed } from '../call-feed/index.ts'
import type { Lists } from '../changes/lists.ts'
import type { Listening } from '../changes/subscriptions-listen.ts'
import type { Completion } from '../prompts/completion.ts'
import type { Prompts } from '../prompts/index.ts'
import type { Resources } from '../resources/index.ts'
import type { Subscriptions } from '../resources/subscriptions.ts'
import { TASKS_EXTENSION, type Tasks } from '../tasks/index.ts'
import { createCallLog } from '../tools/call-log.ts'
import type { Tools } from '../tools/index.ts'
import { type Era, type McpCall, type McpClient, type McpResult, toClient } from './call.ts'
import { negotiateRevision, STATELESS_REVISION } from './era.ts'
import { toResultText } from './result-text.ts'
import { isObject, type JsonObject, RPC, RpcError, toRpcError } from './rpc.ts'

/** The rooms behind the methods. */
export interface Rooms {
  readonly tools: Tools
  readonly lists: Lists
  readonly resources: Resources
  readonly prompts: Prompts
  readonly completion: Completion
  readonly listening: Listening
  readonly subscriptions: Subscriptions
  readonly tasks: Tasks
}

export interface ServerOptions extends Rooms {
  readonly feed: Pick<CallFeed, 'follow'>
  readonly log: Logger
  readonly version: string
  /** What a model is told of this server. */
  readonly instructions: () => string
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
}

const HANDSHAKE: readonly Era[] = ['session', 'plain']

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
}
const DISCOVERY = {
  supportedVersions: [STATELESS_REVISION],
  capabilities: { ...CAPABILITIES, extensions: { [TASKS_EXTENSION]: {} } },
}

/** The method table. */
export function createServer({
  tools,
  lists,
  resources,
  prompts,
  completion,
  feed,
  log,
  listening,
  subscriptions,
  tasks,
  version,
  instructions,
}: ServerOptions): McpServer {
  const callLog = createCallLog(log)
  const serverInfo = { name: 'iii-mcp', title: 'iii engine', version }
  const methods = new Map<string, Method>(
    Object.entries<Method>({
      initialize: {
        run: ({ protocolVersion }) => ({
          protocolVersion: negotiateRevision(protocolVersion),
          capabilities: CAPABILITIES,
          serverInfo,
          instructions: instructions(),
        }),
        eras: HANDSHAKE,
      },
      ping: { run: () => ({}), eras: HANDSHAKE },
      'server/discover': {
        run: () => ({ ...DISCOVERY, instructions: instructions() }),
        eras: ['stateless'],
        ttlMs: 60_000,
      },
      'tools/list': { run: (_, call) => tools.list(call), ttlMs: 5_000 },
      'tools/call': { run: (params, call) => tools.call(params, call), nameParam: 'name' },
      'resources/list': { run: (_, call) => lists.resources(call), ttlMs: 5_000 },
      'resources/templates/list': { run: (_, call) => lists.templates(call), ttlMs: 5_000 },
      'resources/read': {
        run: (params, call) => resources.read(params, call),
        nameParam: 'uri',
        ttlMs: 0,
      },
      'resources/subscribe': { run: (params, call) => subscriptions.subscribe(params, call), eras: HANDSHAKE },
      'resources/unsubscribe': { run: (params, call) => subscriptions.unsubscribe(params, call), eras: HANDSHAKE },
      'subscriptions/listen': { run: (params, call) => listening.listen(params, call), eras: ['stateless'] },
      'logging/setLevel': { run: (params, call) => subscriptions.setLevel(params, call), eras: HANDSHAKE },
      'tasks/get': { run: (params, call) => tasks.get(params, call), nameParam: 'taskId', eras: ['stateless'] },
      'tasks/update': { run: (params, call) => tasks.update(params, call), nameParam: 'taskId', eras: ['stateless'] },
      'tasks/cancel': { run: (params, call) => tasks.cancel(params, call), nameParam: 'taskId', eras: ['stateless'] },
      'completion/complete': { run: (params, call) => completion.complete(params, call) },
      'prompts/list': { run: (_, call) => lists.prompts(call), ttlMs: 5_000 },
      'prompts/get': { run: (params, call) => prompts.get(params, call), nameParam: 'name' },
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
      const record = name === 'tools/call' ? callLog.start(params, call) : undefined
      const trace = feed.follow(name, params, call)
      try {
        const result = await method.run(params, trace === undefined ? call : { ...call, trace })
        const text = toResultText(result, { ttlMs: method.ttlMs, isForModel: name === 'tools/call' }, call, serverInfo)
        record?.answered(result, text)
        trace?.answered(result, text)
        return text
      } catch (error) {
        const told = toRpcError(error)
        record?.refused(told)
        trace?.refused(told)
        throw told
      }
    },
  }
}

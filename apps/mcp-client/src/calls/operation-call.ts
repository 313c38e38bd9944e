import { Fault, isRecord } from '@iii/protocol'
import { OPERATION_KEY, type ServerOperation } from '../catalog/operation-functions.ts'
import type { ToolFunction } from '../catalog/received-tool.ts'
import { ServerFailure } from '../diagnostics/diagnostic.ts'
import { boundContents, boundMessages, boundRows } from '../results/bound-operations.ts'
import type { ServerConnection } from '../servers/connection.ts'
import { type PagedListOptions, readPagedList } from '../session/paged-list.ts'
import { toNamedArguments } from './arguments.ts'
import { type CalledServer, callServer, type ServerCaller } from './server-call.ts'

interface Work {
  readonly server: CalledServer
  readonly connection: ServerConnection
  readonly input: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

/** Of a list; what is beyond is counted. */
const MAX_ROWS = 1_000

/** Does what one of the functions of `toOperations` promises. */
export function runOperation(
  server: CalledServer,
  fn: ToolFunction,
  input: unknown,
  mcp: ServerCaller,
): Promise<unknown> {
  const run = OPERATIONS[fn.metadata[OPERATION_KEY] as ServerOperation]
  return callServer(server, fn.id, mcp, (connection) =>
    run({ server, connection, input: isRecord(input) ? input : {}, signal: mcp.signal }),
  )
}

const OPERATIONS: Readonly<Record<ServerOperation, (work: Work) => Promise<unknown>>> = {
  async 'resources-list'(work) {
    const resources = await list(work, 'resources/list', 'resources')
    const templates = await list(work, 'resources/templates/list', 'resourceTemplates')
    return { resources: resources.rows, templates: templates.rows, ...sum(resources.left_out, templates.left_out) }
  },
  async 'resources-read'(work) {
    const result = await ask(work, 'resources/read', { uri: requireText(work.input, 'uri') })
    return boundContents(result, work.server.config.limits, work.connection.filter)
  },
  async 'prompts-list'(work) {
    const { rows, left_out } = await list(work, 'prompts/list', 'prompts')
    return { prompts: rows, ...sum(left_out) }
  },
  async 'prompts-get'(work) {
    const name = requireText(work.input, 'name')
    const args = toNamedArguments(work.input['arguments'], '`arguments` has to be an object: the values by their names')
    const result = await ask(work, 'prompts/get', { name, arguments: args })
    return boundMessages(result, work.server.config.limits, work.connection.filter)
  },
}

async function ask({ server, connection, signal }: Work, method: string, params: Readonly<Record<string, unknown>>) {
  const { result } = await connection.session.request(method, params, {
    timeoutMs: server.config.timeouts.callMs,
    signal,
  })
  return result
}

async function list({ server, connection, signal }: Work, method: PagedListOptions['method'], key: string) {
  const { timeouts, limits } = server.config
  const { filter, session } = connection
  try {
    const { items, total } = await readPagedList(session, {
      ...{ method, key, signal, timeoutMs: timeouts.listMs, maxItems: MAX_ROWS, maxBytes: limits.messageBytes },
      clean: filter.text,
    })
    const { rows, left_out = 0 } = boundRows(items, limits, filter)
    return { rows, left_out: left_out + total - items.length }
  } catch (error) {
    throw error instanceof ServerFailure ? new Fault('internal', error.message) : error
  }
}

function sum(...leftOut: readonly number[]): { left_out?: number } {
  const left_out = leftOut.reduce((all, one) => all + one, 0)
  return left_out === 0 ? {} : { left_out }
}

function requireText(input: Readonly<Record<string, unknown>>, key: string): string {
  const value = input[key]
  if (typeof value === 'string' && value !== '') return value
  throw new Fault('invalid_input', `\`${key}\` is missing: it has to be a text`)
}

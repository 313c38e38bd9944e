import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { toShowing } from './search-mode.ts'

/** Looking at a running system from outside: what does the engine know, what does the bridge answer? */

const ASK_DEADLINE_MS = 5000

/** A function as `engine::functions::list` tells it. */
export interface ListedFunction {
  function_id: string
  worker_name?: string
  /** Engine 0.22 has none. */
  namespace?: string
}

/** A connection for looking and asking: it offers nothing and logs nothing. @param namespace where it is, and its calls go */
export function connectToEngine(engineUrl: string, name: string, namespace?: string): Worker {
  return registerWorker(engineUrl, { name, namespace, log: createLog({ name, level: 'silent' }) })
}

/** All functions of the engine, its internal ones too. */
export async function listFunctions(control: Worker): Promise<ListedFunction[]> {
  const { functions } = await control.trigger<{ functions: ListedFunction[] }>({
    function_id: 'engine::functions::list',
    payload: { include_internal: true },
    timeoutMs: ASK_DEADLINE_MS,
  })
  return functions
}

/** Whether the engine keeps workers of several namespaces apart, as 0.23 does, and with that all else that 0.23 does differently. */
export async function hasNamespaces(control: Worker): Promise<boolean> {
  return (await listFunctions(control)).some(({ namespace }) => namespace !== undefined)
}

/** A worker as `engine::workers::list` tells it. */
export interface ListedWorker {
  id: string
  name: string | null
  namespace?: string
}

/** The workers that have said who they are. */
export async function listWorkers(control: Worker): Promise<ListedWorker[]> {
  const request = { function_id: 'engine::workers::list', payload: {}, timeoutMs: ASK_DEADLINE_MS }
  return (await control.trigger<{ workers: ListedWorker[] }>(request)).workers
}

/** The ids of trigger types that somebody provides. */
export async function listTriggerTypes(control: Worker): Promise<ReadonlySet<string>> {
  const request = { function_id: 'engine::triggers::list', payload: {}, timeoutMs: ASK_DEADLINE_MS }
  const { triggers } = await control.trigger<{ triggers: { id: string }[] }>(request)
  return new Set(triggers.map(({ id }) => id))
}

export async function hasFunctions(control: Worker, ids: readonly string[]): Promise<boolean> {
  const known = new Set((await listFunctions(control)).map(({ function_id }) => function_id))
  return ids.every((id) => known.has(id))
}

/** The last functions that the registry registers: with them it is complete. */
export const SKILLS_FUNCTIONS = [
  'skills::register',
  'skills::resources-list',
  'skills::resources-read',
  'prompts::register',
  'prompts::mcp-list',
  'prompts::mcp-get',
  'skill::fetch',
]

/** The last functions that the worker of runs registers. */
export const RUNS_FUNCTIONS = ['runs::doctor', 'runs::run_job', 'runs::on-call', 'runs::on-schedule']

/** The last functions that the worker of foreign MCP servers registers by itself. */
export const MCP_CLIENT_FUNCTIONS = ['mcp-client::status', 'mcp-client::restart']

/** The tools of the sample MCP server. */
export const NOTES_FUNCTIONS = ['notes::add', 'notes::find', 'notes::count']

/** The result of one MCP request without a session, or undefined when there is none. */
export async function requestOnce(
  mcpUrl: string,
  method: string,
  params?: object,
  deadlineMs = ASK_DEADLINE_MS,
): Promise<unknown> {
  const response = await fetch(mcpUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) }),
    signal: AbortSignal.timeout(deadlineMs),
  })
  return response.ok ? ((await response.json()) as { result?: unknown }).result : undefined
}

/** Whether MCP clients see all that the sample worker brings: tools, skills and prompt. */
export async function servesOrders(mcpUrl: string): Promise<boolean> {
  const requests = [toShowing('orders report'), ['resources/list'], ['prompts/list']] as const
  const lists = await Promise.all(requests.map(([method, params]) => requestOnce(mcpUrl, method, params)))
  const expected = ['"orders__report"', '"iii://orders/refunds"', '"refund-order"']
  return expected.every((word, index) => JSON.stringify(lists[index] ?? null).includes(word))
}

import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { ListedFunction } from '../facts.ts'

/** A trigger as `engine::registered-triggers::list` tells it. */
export interface ListedTrigger {
  trigger_type: string
  function_id: string
  worker_name?: string
  config?: unknown
}

/** Ids and prefixes (those that end in `::`) which the workers of `start` register. */
const OURS = ['mcp::handler', 'skills::', 'skill::fetch', 'prompts::', 'runs::', 'mcp-client::', 'notes::', 'orders::']
/** How many ids with one prefix are named one by one. */
const FEW = 3
const OUR_PATH = 'mcp'
const OUR_METHODS = ['POST', 'GET', 'DELETE']

/**
 * Tells which parts of what `start` brings belong to somebody already, one line each. On an engine the last to
 * register owns a route or an id, so starting anyway would take them away.
 */
export function findOwners(functions: readonly ListedFunction[], triggers: readonly ListedTrigger[]): string[] {
  return [...triggers.flatMap(toRouteOwner), ...groupByWorker(functions.filter(isWhereOursGo))]
}

function toRouteOwner({ trigger_type, function_id, worker_name, config }: ListedTrigger): string[] {
  if (trigger_type !== 'http' || typeof config !== 'object' || config === null) return []
  const { api_path, http_method = 'GET' } = config as { api_path?: unknown; http_method?: unknown }
  const method = String(http_method).toUpperCase()
  if (String(api_path).replace(/^\//, '') !== OUR_PATH || !OUR_METHODS.includes(method)) return []
  return [`the route ${method} /${OUR_PATH} belongs to worker ${worker_name ?? 'unknown'} (function ${function_id})`]
}

function groupByWorker(functions: readonly ListedFunction[]): string[] {
  const owned = new Map<string, string[]>()
  for (const { worker_name = 'unknown', function_id } of functions) {
    owned.set(worker_name, [...(owned.get(worker_name) ?? []), function_id])
  }
  return [...owned].map(
    ([name, ids]) => `${formatIds(ids)} ${ids.length === 1 ? 'belongs' : 'belong'} to worker ${name}`,
  )
}

/** A worker such as the registry has dozens of them: of more than a few with one prefix it is the prefix that tells. */
function formatIds(ids: readonly string[]): string {
  const groups = OURS.map((own) => ({ own, found: ids.filter((id) => isBelow(own, id)) }))
  return groups.flatMap(({ own, found }) => (found.length > FEW ? [`${own}*`] : found)).join(', ')
}

/** The same id in another namespace is another function. */
function isWhereOursGo({ function_id, namespace = DEFAULT_NAMESPACE }: ListedFunction): boolean {
  return namespace === DEFAULT_NAMESPACE && OURS.some((own) => isBelow(own, function_id))
}

function isBelow(own: string, id: string): boolean {
  return own.endsWith('::') ? id.startsWith(own) : id === own
}

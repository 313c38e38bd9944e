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
const OUR_PATH = 'mcp'
const OUR_METHODS = ['POST', 'GET', 'DELETE']

/**
 * Tells which parts of what `start` brings belong to somebody already, one line each. On an engine the last to
 * register owns a route or an id, so starting anyway would take them away.
 */
export function findOwners(functions: readonly ListedFunction[], triggers: readonly ListedTrigger[]): string[] {
  return [
    ...triggers.flatMap(toRouteOwner),
    ...groupByWorker(functions.filter(({ function_id }) => isOurs(function_id))),
  ]
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
    ([name, ids]) => `${ids.join(', ')} ${ids.length === 1 ? 'belongs' : 'belong'} to worker ${name}`,
  )
}

function isOurs(id: string): boolean {
  return OURS.some((own) => (own.endsWith('::') ? id.startsWith(own) : id === own))
}

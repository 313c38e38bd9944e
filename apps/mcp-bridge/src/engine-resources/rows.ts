import { readMcpMetadata, toDescription, toTitle } from '@iii/protocol'
import type { FunctionDetail } from '../directory.ts'
import { isObject, type JsonObject } from '../rpc.ts'

/** A function that clients may see, and the worker that offers it, by name. */
export interface ShownFunction {
  readonly id: string
  readonly worker?: string | undefined
}

/** A function as its worker registered it. Of its metadata only what is meant for clients: the rest is between workers. */
export function toFunctionRow({
  id,
  description,
  requestSchema,
  responseSchema,
  metadata,
}: FunctionDetail): JsonObject {
  const { expose, tier, title, annotations } = readMcpMetadata(metadata)
  const told = { 'mcp.expose': expose, 'mcp.tier': tier, 'mcp.title': toTitle(title), 'mcp.annotations': annotations }
  const kept = Object.entries(told).filter(([, value]) => value !== undefined)
  return {
    function_id: id,
    description: toDescription(description) ?? null,
    request_format: requestSchema ?? null,
    response_format: responseSchema ?? null,
    metadata: kept.length === 0 ? null : Object.fromEntries(kept),
  }
}

/**
 * The workers that offer something to clients, with that and nothing else of it: no process ids, addresses or machines.
 *
 * @param rows as `engine::workers::list` has them
 */
export function toWorkerRows(rows: readonly unknown[], shown: readonly ShownFunction[]): JsonObject[] {
  const byWorker = new Map<string, string[]>()
  for (const { id, worker } of shown) {
    if (worker === undefined) continue
    const ids = byWorker.get(worker) ?? []
    byWorker.set(worker, ids)
    ids.push(id)
  }
  return rows
    .flatMap((row) => {
      const name = isObject(row) ? row['name'] : undefined
      const functions = typeof name === 'string' ? byWorker.get(name) : undefined
      return isObject(row) && functions !== undefined ? [toWorkerRow(row, functions)] : []
    })
    .sort((a, b) => compare(`${a['name']} ${a['id']}`, `${b['name']} ${b['id']}`))
}

function toWorkerRow(row: JsonObject, functions: readonly string[]): JsonObject {
  return {
    id: toLine(row['id']),
    name: toLine(row['name']),
    description: typeof row['description'] === 'string' ? (toDescription(row['description']) ?? null) : null,
    runtime: toLine(row['runtime']),
    version: toLine(row['version']),
    status: toLine(row['status']),
    connected_at_ms: toNumber(row['connected_at_ms']),
    function_count: functions.length,
    functions,
    [BUSY]: toNumber(row[BUSY]),
  }
}

/** Changes with every call: no news of the worker. */
export const BUSY = 'active_invocations'

/** What may be told of the configuration of a trigger, by its type. Of others nothing is known, so nothing is told. */
const PUBLIC_CONFIG: Readonly<Record<string, readonly string[]>> = {
  http: ['api_path', 'http_method'],
  cron: ['expression'],
  'durable:subscriber': ['topic'],
  subscribe: ['topic'],
  state: ['scope', 'key'],
  stream: ['stream_name', 'group_id', 'item_id'],
  'stream:join': ['stream_name', 'group_id', 'item_id'],
  'stream:leave': ['stream_name', 'group_id', 'item_id'],
  configuration: ['configuration_id', 'event_types'],
  log: ['level'],
  trace: ['service_name', 'status'],
}

/**
 * The triggers of functions that clients may see.
 *
 * @param rows as `engine::registered-triggers::list` has them
 */
export function toTriggerRows(rows: readonly unknown[], shown: ReadonlySet<string>): JsonObject[] {
  return rows
    .flatMap((row) => {
      if (!isObject(row)) return []
      const { id, trigger_type, function_id, config } = row
      if (typeof id !== 'string' || typeof trigger_type !== 'string' || !shown.has(String(function_id))) return []
      return [{ id, trigger_type, function_id, config: toPublicConfig(trigger_type, config) }]
    })
    .sort((a, b) => compare(`${a.trigger_type} ${a.function_id} ${a.id}`, `${b.trigger_type} ${b.function_id} ${b.id}`))
}

function toPublicConfig(type: string, config: unknown): JsonObject {
  const names = Object.hasOwn(PUBLIC_CONFIG, type) ? (PUBLIC_CONFIG[type] ?? []) : []
  if (!isObject(config)) return {}
  return Object.fromEntries(names.flatMap((name) => (isPlain(config[name]) ? [[name, config[name]]] : [])))
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string')
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function toLine(value: unknown): string | null {
  return typeof value === 'string' ? (toTitle(value) ?? null) : null
}

function toNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

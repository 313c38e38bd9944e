import { compareText, isRecord, type JsonObject, readMcpMetadata, toDescription, toTitle } from '@iii/protocol'
import { toLeanResult, toLeanSchema } from '@iii/protocol/json-schema'
import type { FunctionDetail } from '../../gate/directory.ts'
import { type Place, readKey, type Sight, toKey } from '../../gate/sight.ts'

/** A function that clients may see, and the worker that offers it, by name. */
export interface ShownFunction {
  /** Its key. */
  readonly id: string
  /** Another namespace has a function of the same id. */
  readonly isDouble?: boolean | undefined
  readonly worker?: string | undefined
}

/** A function as its worker registered it, without what in its schemas says nothing. Of its metadata only what is meant for clients: the rest is between workers. */
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
    ...toPlace(id),
    description: toDescription(description) ?? null,
    request_format: isRecord(requestSchema) ? toLeanSchema(requestSchema) : (requestSchema ?? null),
    response_format: isRecord(responseSchema) ? toLeanResult(responseSchema) : (responseSchema ?? null),
    metadata: kept.length === 0 ? null : Object.fromEntries(kept),
  }
}

/**
 * The workers that offer something to clients, with that and nothing else of it: no process ids, addresses or machines.
 *
 * @param rows as `engine::workers::list` has them
 */
export function toWorkerRows(rows: readonly unknown[], shown: readonly ShownFunction[], sight: Sight): JsonObject[] {
  const byWorker = new Map<string, string[]>()
  for (const { id, worker } of shown) {
    if (worker === undefined) continue
    const placed = readKey(id)
    const key = toKey({ ...placed, id: worker })
    const ids = byWorker.get(key) ?? []
    byWorker.set(key, ids)
    ids.push(placed.id)
  }
  return rows
    .flatMap((row) => {
      const { name, namespace } = isRecord(row) ? row : {}
      const place = sight.find(namespace)
      if (!isRecord(row) || typeof name !== 'string' || place === undefined) return []
      const functions = byWorker.get(toKey({ ...place, id: name }))
      return functions === undefined ? [] : [toWorkerRow(row, functions, place)]
    })
    .sort((a, b) => compareText(`${a['name']} ${a['id']}`, `${b['name']} ${b['id']}`))
}

function toWorkerRow(row: JsonObject, functions: readonly string[], { namespace }: Place): JsonObject {
  return {
    id: toLine(row['id']),
    name: toLine(row['name']),
    ...(namespace === undefined ? {} : { namespace }),
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

/** The names of an id and its place, as they stand in a row. */
function toPlace(key: string): JsonObject {
  const { namespace, id: function_id } = readKey(key)
  return namespace === undefined ? { function_id } : { function_id, namespace }
}

/** Changes with every call: no news of the worker. */
export const BUSY = 'active_invocations'

/** A trigger, as far as a row tells where it leads. */
export interface TriggerFacts {
  readonly id: string
  readonly functionId: string
}

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
 * @param leadsTo the key of the function behind a trigger; undefined for one that clients may not see
 * @param rows as `engine::registered-triggers::list` has them
 */
export function toTriggerRows(
  rows: readonly unknown[],
  leadsTo: (row: TriggerFacts) => string | undefined,
): JsonObject[] {
  return rows
    .flatMap((row) => {
      if (!isRecord(row)) return []
      const { id, trigger_type, function_id, config } = row
      if (typeof id !== 'string' || typeof trigger_type !== 'string' || typeof function_id !== 'string') return []
      const key = leadsTo({ id, functionId: function_id })
      if (key === undefined) return []
      return [{ id, trigger_type, ...toPlace(key), config: toPublicConfig(trigger_type, config) } as JsonObject]
    })
    .sort((a, b) => compareText(toOrder(a), toOrder(b)))
}

function toOrder({ trigger_type, function_id, namespace = '', id }: JsonObject): string {
  return [trigger_type, function_id, namespace, id].map(String).join(' ')
}

function toPublicConfig(type: string, config: unknown): JsonObject {
  const names = Object.hasOwn(PUBLIC_CONFIG, type) ? (PUBLIC_CONFIG[type] ?? []) : []
  if (!isRecord(config)) return {}
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

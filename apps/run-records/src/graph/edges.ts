import { cutUtf8, readMcpField } from '@iii/protocol'
import type { TriggerBinding } from '../tasks/directory.ts'
import type { Task } from '../tasks/task.ts'

export const EDGE_KINDS = ['depends', 'trigger', 'condition', 'middleware', 'cancel', 'complete', 'called'] as const

/** That one thing comes after another because of it. */
export interface Edge {
  readonly from: string
  readonly to: string
  readonly kind: (typeof EDGE_KINDS)[number]
  /** Who says so: the function itself, the engine, or what was recorded. */
  readonly source: 'declared' | 'engine' | 'record'
  readonly count?: number | undefined
  readonly last_seen?: string | undefined
}

/** What a function says of itself: what it depends on, what is told that it is cancelled, what completes its arguments. */
export function toDeclaredEdges({ id, dependsOn, metadata }: Task): Edge[] {
  const edges = dependsOn.map((from): Edge => ({ from, to: id, kind: 'depends', source: 'declared' }))
  for (const kind of ['cancel', 'complete'] as const) {
    const to = readMcpField(metadata, kind)
    if (typeof to === 'string' && to !== '') edges.push({ from: id, to, kind, source: 'declared' })
  }
  return edges
}

/** What makes a function run, and what is asked before. */
export function toTriggerEdges({ type, functionId, config }: TriggerBinding): Edge[] {
  const condition = readText(config, 'condition_function_id')
  const middleware = readTexts(config, 'middleware_function_ids')
  return [
    { from: toTriggerSource(type, config), to: functionId, kind: 'trigger', source: 'engine' },
    ...(condition === undefined
      ? []
      : [{ from: condition, to: functionId, kind: 'condition', source: 'engine' } as const]),
    ...middleware.map((from): Edge => ({ from, to: functionId, kind: 'middleware', source: 'engine' })),
  ]
}

/** Of a config only what says where a trigger listens: the rest may be anything. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  http: ['http_method', 'api_path'],
  cron: ['expression'],
  'durable:subscriber': ['topic'],
  subscribe: ['topic'],
  state: ['scope', 'key'],
  stream: ['stream_name'],
}
const MAX_PLACE_BYTES = 200

/**
 * Names a trigger by its type and where it listens.
 *
 * @example
 * toTriggerSource('http', { http_method: 'POST', api_path: 'orders' }) // 'http POST orders'
 */
export function toTriggerSource(type: string, config: unknown): string {
  const places = (PLACES[type] ?? []).flatMap((key) => readText(config, key) ?? [])
  return cutUtf8([type, ...places].join(' '), MAX_PLACE_BYTES)
}

function readText(config: unknown, key: string): string | undefined {
  const value = read(config, key)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function readTexts(config: unknown, key: string): string[] {
  const value = read(config, key)
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function read(config: unknown, key: string): unknown {
  if (typeof config !== 'object' || config === null || !Object.hasOwn(config, key)) return undefined
  return (config as Record<string, unknown>)[key]
}

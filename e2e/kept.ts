import { isAbsent, type Worker } from '@iii/sdk'
import type { Stack } from './stack.ts'

/** What an engine keeps, by where, as text. */
export interface KeptByEngine {
  readonly state: string
  readonly logs: string
  readonly spans: string
  /** The settings that are stored, with their values. */
  readonly settings: string
  /** What it has written to stdout and stderr, where that is known. */
  readonly output: string | undefined
}

/** More than there will ever be. */
const ALL = { limit: 100_000 }
/** Not the roots of traces alone, and what the engine calls for itself too. */
const ALL_SPANS = { ...ALL, search_all_spans: true, include_internal: true }

export async function readKept({ worker, readEngineOutput }: Stack): Promise<KeptByEngine> {
  const [state, logs, spans, settings] = await Promise.all([
    readState(worker),
    ask(worker, 'engine::logs::list', ALL),
    ask(worker, 'engine::traces::list', ALL_SPANS),
    readSettings(worker),
  ])
  const text = (value: unknown) => JSON.stringify(value) ?? ''
  return {
    state: text(state),
    logs: text(logs),
    spans: toSpans(spans),
    settings: text(settings),
    output: readEngineOutput(),
  }
}

/** Whether the engine says that it keeps spans of requests. */
export async function keepsSpans(worker: Worker): Promise<boolean> {
  const { value } = (await ask(worker, 'configuration::get', { id: 'iii-observability' })) ?? {}
  const { enabled, exporter, level = 'info' } = (value ?? {}) as Record<string, unknown>
  return enabled === true && exporter === 'memory' && SPANS_FROM.includes(String(level))
}

/** At the others the engine drops its spans. */
const SPANS_FROM = ['info', 'debug', 'trace']

async function ask(worker: Worker, function_id: string, payload: object) {
  return await worker.trigger<Record<string, unknown>>({ function_id, payload }).catch((error: unknown) => {
    if (isAbsent(error, function_id)) return undefined
    throw error
  })
}

async function readState(worker: Worker): Promise<unknown> {
  const { groups } = (await ask(worker, 'state::list_groups', {})) as { groups: string[] }
  return [groups, await Promise.all(groups.map((scope) => ask(worker, 'state::list', { scope })))]
}

async function readSettings(worker: Worker): Promise<unknown> {
  const { configurations } = (await ask(worker, 'configuration::list', {})) as { configurations: { id: string }[] }
  return await Promise.all(configurations.map(({ id }) => ask(worker, 'configuration::get', { id })))
}

/** The engine itself notes the address of each request in its span, before a worker hears of it: of that the documents warn. */
const QUERIES = /\["url\.(?:query|full)","(?:[^"\\]|\\.)*"\]/g

function toSpans(listed: Record<string, unknown> | undefined): string {
  return (JSON.stringify(listed) ?? '').replace(QUERIES, '')
}

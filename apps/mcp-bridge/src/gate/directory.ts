import { isRecord, type JsonObject } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { readKey, type Sight, toKey } from './sight.ts'

/** What the engine knows of one function. */
export interface FunctionDetail {
  /** Its key: see `toKey`. */
  readonly id: string
  readonly description: string | undefined
  /** As registered: any JSON. */
  readonly requestSchema: unknown
  readonly responseSchema: unknown
  readonly metadata: unknown
}

/** What is kept of a function, to be read when it is needed; the very same until the function is another. */
export interface FunctionSource {
  detail(): FunctionDetail
}

/** A function in a list of all. */
export interface DirectoryRow {
  /** Its key: see `toKey`. */
  readonly id: string
  readonly description?: unknown
  readonly metadata: unknown
  /** Name of the worker that offers it. */
  readonly worker?: string | undefined
  /** Another namespace has a function of the same id, in sight or not. */
  readonly isDouble?: true
}

/** The engine's own list of functions, as far as the bridge sees. */
export interface Directory {
  readonly sight: Sight
  /** All functions that are not the engine's own plumbing. */
  list(): Promise<DirectoryRow[]>
  /**
   * Details by key; what is not registered (any more), or out of sight, is left out.
   *
   * @param use a list, which waits for each answer as long as for the list of all, or a call @default a call
   */
  describe(ids: readonly string[], use?: 'list' | 'call'): Promise<Map<string, FunctionDetail>>
  /** The keys of these functions by the ids of the triggers that call them. */
  triggersOf(keys: readonly string[]): Promise<Map<string, string>>
}

/** How many ids the engine takes in one `engine::functions::info`. */
const BATCH = 32
/** The engine answers so many of these side by side; of thousands of functions that takes half the time. */
const AT_ONCE = 4

/**
 * @param timeoutMs for each call to the engine
 * @param listMs for each of those that make a list: that of all is a megabyte where there are thousands, and details are more
 */
export function createDirectory(
  engine: Pick<Worker, 'trigger'>,
  timeoutMs: number,
  sight: Sight,
  listMs = timeoutMs,
): Directory {
  async function ask({ ids, namespace }: Question, withinMs: number): Promise<unknown[]> {
    // Without a namespace the engine looks for an id that is not there everywhere else.
    const payload = { function_ids: ids, namespace: namespace ?? sight.own }
    const request = { function_id: 'engine::functions::info', payload, timeoutMs: withinMs }
    return readFunctions(await engine.trigger(request))
  }

  /** The rows of these functions, with what they say; of those alone that are where they were asked for. */
  async function read(keys: readonly string[], withinMs = timeoutMs): Promise<Read[]> {
    const wanted = new Set(keys)
    const questions = toQuestions(wanted, sight)
    const rows: unknown[] = []
    for (let at = 0; at < questions.length; at += AT_ONCE) {
      const some = questions.slice(at, at + AT_ONCE)
      rows.push(...(await Promise.all(some.map((question) => ask(question, withinMs)))).flat())
    }
    return rows.flatMap((row) => toRead(row, sight) ?? []).filter(({ detail }) => wanted.has(detail.id))
  }

  return {
    sight,
    async list() {
      const answer = await engine.trigger({ function_id: 'engine::functions::list', timeoutMs: listMs })
      return toRows(readFunctions(answer), sight)
    },
    async describe(keys, use) {
      const rows = await read(keys, use === 'list' ? listMs : timeoutMs)
      return new Map(rows.map(({ detail }) => [detail.id, detail]))
    },
    async triggersOf(keys) {
      const all = await read(keys)
      return new Map(
        all.flatMap(({ detail, row }) => readTriggerIds(row).map((id): [string, string] => [id, detail.id])),
      )
    },
  }
}

function toRows(rows: readonly unknown[], sight: Sight): DirectoryRow[] {
  const doubles = findDoubles(rows)
  return rows.flatMap((row) => {
    const { function_id: id, description, metadata, worker_name: name, namespace } = isRecord(row) ? row : {}
    const worker = typeof name === 'string' ? name : undefined
    const place = sight.find(namespace)
    if (typeof id !== 'string' || place === undefined) return []
    const isDouble = doubles.has(id) ? { isDouble: true as const } : {}
    return [{ id: toKey({ ...place, id }), description, metadata, worker, ...isDouble }]
  })
}

/** The ids that several namespaces have. */
function findDoubles(rows: readonly unknown[]): ReadonlySet<unknown> {
  const seen = new Set<unknown>()
  const ids = rows.map((row) => (isRecord(row) ? row['function_id'] : undefined))
  return new Set(ids.filter((id) => seen.size === seen.add(id).size))
}

function readTriggerIds({ registered_triggers: triggers }: JsonObject): string[] {
  const ids = Array.isArray(triggers) ? triggers.map((row) => (isRecord(row) ? row['id'] : undefined)) : []
  return ids.filter((id) => typeof id === 'string')
}

interface Question {
  readonly ids: readonly string[]
  /** Another one than our own. */
  readonly namespace: string | undefined
}

/** As few questions as possible: one for each namespace, and for so many ids as the engine takes. */
function toQuestions(keys: Iterable<string>, sight: Sight): Question[] {
  const byNamespace = new Map<string | undefined, string[]>()
  for (const key of keys) {
    const { namespace, id } = readKey(key)
    if (namespace !== undefined && !sight.sees(namespace)) continue
    const ids = byNamespace.get(namespace)
    if (ids === undefined) byNamespace.set(namespace, [id])
    else ids.push(id)
  }
  return [...byNamespace].flatMap(([namespace, ids]) =>
    Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, at) => ({
      ids: ids.slice(at * BATCH, (at + 1) * BATCH),
      namespace,
    })),
  )
}

interface Read {
  readonly detail: FunctionDetail
  readonly row: JsonObject
}

function toRead(row: unknown, sight: Sight): Read | undefined {
  const detail = isRecord(row) ? toDetail(row, sight) : undefined
  return isRecord(row) && detail !== undefined ? { detail, row } : undefined
}

/** The rows that the engine answers. @throws TypeError for anything else */
export function readFunctions(answer: unknown): unknown[] {
  const functions = isRecord(answer) ? answer['functions'] : undefined
  if (!Array.isArray(functions)) throw new TypeError('The engine answered without a list of functions')
  return functions
}

function toDetail(row: JsonObject, sight: Sight): FunctionDetail | undefined {
  const { function_id: id, description, request_schema, response_schema, metadata, namespace } = row
  const place = sight.find(namespace)
  if (typeof id !== 'string' || place === undefined || 'error' in row) return undefined
  return {
    id: toKey({ ...place, id }),
    description: typeof description === 'string' ? description : undefined,
    requestSchema: request_schema,
    responseSchema: response_schema,
    metadata,
  }
}

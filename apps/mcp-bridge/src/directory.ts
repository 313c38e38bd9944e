import type { Worker } from '@iii/sdk'
import { isObject } from './rpc.ts'
import type { Sight } from './sight.ts'

/** What the engine knows of one function. */
export interface FunctionDetail {
  readonly id: string
  readonly description: string | undefined
  /** As registered: any JSON. */
  readonly requestSchema: unknown
  readonly responseSchema: unknown
  readonly metadata: unknown
}

/** A function in a list of all. */
export interface DirectoryRow {
  readonly id: string
  readonly description?: unknown
  readonly metadata: unknown
  /** Name of the worker that offers it. */
  readonly worker?: string | undefined
}

/** The engine's own list of functions, as far as the bridge sees. */
export interface Directory {
  readonly sight: Sight
  /** All functions that are not the engine's own plumbing. */
  list(): Promise<DirectoryRow[]>
  /** Details by id; an id that is not registered (any more) is left out. */
  describe(ids: readonly string[]): Promise<Map<string, FunctionDetail>>
}

/** How many ids the engine takes in one `engine::functions::info`. */
const BATCH = 32

/** @param timeoutMs for each call to the engine */
export function createDirectory(engine: Pick<Worker, 'trigger'>, timeoutMs: number, sight: Sight): Directory {
  async function describeBatch(ids: readonly string[]): Promise<unknown[]> {
    // Without a namespace the engine looks for an id that is not there everywhere else.
    const payload = { function_ids: ids, namespace: sight.own }
    const answer = await engine.trigger({ function_id: 'engine::functions::info', payload, timeoutMs })
    return readFunctions(answer).filter(isSeen)
  }

  const isSeen = (row: unknown) => isObject(row) && sight.find(row['namespace']) !== undefined

  return {
    sight,
    async list() {
      const answer = await engine.trigger({ function_id: 'engine::functions::list', timeoutMs })
      return readFunctions(answer)
        .filter(isSeen)
        .flatMap((row) => {
          const { function_id: id, description, metadata, worker_name: name } = isObject(row) ? row : {}
          const worker = typeof name === 'string' ? name : undefined
          return typeof id === 'string' ? [{ id, description, metadata, worker }] : []
        })
    },
    async describe(ids) {
      const unique = [...new Set(ids)]
      const details = new Map<string, FunctionDetail>()
      for (let at = 0; at < unique.length; at += BATCH) {
        for (const row of await describeBatch(unique.slice(at, at + BATCH))) {
          const detail = toDetail(row)
          if (detail !== undefined) details.set(detail.id, detail)
        }
      }
      return details
    },
  }
}

function readFunctions(answer: unknown): unknown[] {
  const functions = isObject(answer) ? answer['functions'] : undefined
  if (!Array.isArray(functions)) throw new TypeError('The engine answered without a list of functions')
  return functions
}

function toDetail(row: unknown): FunctionDetail | undefined {
  if (!isObject(row) || typeof row['function_id'] !== 'string' || 'error' in row) return undefined
  const { function_id: id, description, request_schema, response_schema, metadata } = row
  return {
    id,
    description: typeof description === 'string' ? description : undefined,
    requestSchema: request_schema,
    responseSchema: response_schema,
    metadata,
  }
}

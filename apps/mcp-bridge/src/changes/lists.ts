import type { McpCall } from '../mcp/call.ts'
import { type McpResult, type ReadyResult, toReady } from '../mcp/rpc.ts'
import type { Prompts } from '../prompts/index.ts'
import type { Resources } from '../resources/index.ts'

/** What clients list that comes from elsewhere on the engine: kept as ready bytes, and made again when it may have changed. */
export interface Lists {
  resources(call: McpCall): Promise<McpResult>
  templates(call: McpCall): Promise<McpResult>
  prompts(call: McpCall): Promise<McpResult>
}

export interface ReadyLists extends Lists {
  /** Something may have changed: the next request makes its list anew. */
  forget(): void
}

export interface ListsOptions {
  readonly resources: Pick<Resources, 'list' | 'templates'>
  readonly prompts: Pick<Prompts, 'list'>
  /** Not all that changes a list is an event: so old it may get. @default 1000 */
  readonly freshMs?: number
}

export function createLists({ resources, prompts, freshMs = 1_000 }: ListsOptions): ReadyLists {
  const all = {
    resources: keepReady(resources.list, freshMs),
    templates: keepReady(resources.templates, freshMs),
    prompts: keepReady(prompts.list, freshMs),
  }
  return {
    resources: all.resources.get,
    templates: all.templates.get,
    prompts: all.prompts.get,
    forget() {
      for (const list of Object.values(all)) list.forget()
    },
  }
}

interface Making {
  readonly startedAt: number
  readonly result: Promise<ReadyResult>
}

/** Who asks while a list is being made gets that one; an error is nobody's but theirs who waited for it. */
function keepReady(make: (call: McpCall) => Promise<object>, freshMs: number) {
  let last: Making | undefined

  function start(call: McpCall): Making {
    const making = {
      // What is in a list is as old as the question for it.
      startedAt: performance.now(),
      result: make(call).then((list) => toReady(JSON.stringify(list).slice(1, -1))),
    }
    making.result.catch(() => {
      if (last === making) last = undefined
    })
    return making
  }

  return {
    get(call: McpCall): Promise<ReadyResult> {
      if (last === undefined || performance.now() - last.startedAt > freshMs) last = start(call)
      return last.result
    },
    forget() {
      last = undefined
    },
  }
}

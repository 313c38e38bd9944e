import type { JsonObject } from '@iii/protocol'
import { createPerView } from '../auth/view.ts'
import type { McpCall } from '../mcp/call.ts'
import { createKept, createKeptPerView, type Kept } from '../mcp/kept.ts'
import { type McpResult, type ReadyResult, toReady } from '../mcp/rpc.ts'
import type { McpPrompts } from '../prompts/index.ts'
import type { McpResources } from '../resources/index.ts'
import type { SkillBrief } from '../resources/skill-brief.ts'
import type { TimelyLists } from './timely-lists.ts'

/** What clients list that comes from elsewhere on the engine: kept as ready bytes, and made again when it may have changed. */
export interface Lists {
  resources(call: McpCall): Promise<McpResult>
  templates(call: McpCall): Promise<McpResult>
  prompts(call: McpCall): Promise<McpResult>
  /** The index of skills for instructions. */
  readonly brief: SkillBrief
}

export interface ReadyLists extends Lists {
  /** Something may have changed: the next request makes its list anew. */
  forget(): void
  close(): void
}

export interface ListsOptions {
  readonly resources: Pick<McpResources, 'list' | 'templates' | 'listRest' | 'templatesRest' | 'brief'>
  readonly prompts: Pick<McpPrompts, 'list' | 'listRest'>
  readonly timely: TimelyLists
  /** Not all that changes a list is an event: so old it may get. @default 1000 */
  readonly freshMs?: number
}

export function createLists({ resources, prompts, timely, freshMs = 1_000 }: ListsOptions): ReadyLists {
  const { toTimely } = timely
  const all = {
    resources: keepReady(toTimely('resources', resources.list, resources.listRest), freshMs),
    templates: keepReady(toTimely('resources', resources.templates, resources.templatesRest), freshMs),
    prompts: keepReady(toTimely('prompts', prompts.list, prompts.listRest), freshMs),
    brief: createKeptPerView(resources.brief, freshMs),
  }
  return {
    resources: all.resources.get,
    templates: all.templates.get,
    prompts: all.prompts.get,
    brief: all.brief.get,
    forget() {
      for (const list of Object.values(all)) list.forget()
    },
    close: timely.close,
  }
}

/** As the bytes that go out, for all who see the same. */
function keepReady(
  make: (call: McpCall) => Promise<{ _meta?: JsonObject | undefined }>,
  freshMs: number,
): Kept<[call: McpCall], ReadyResult> {
  const views = createPerView<Kept<[call: McpCall], ReadyResult>>()
  const keep = () =>
    createKept(async (call: McpCall) => {
      const { _meta, ...members } = await make(call)
      return toReady(JSON.stringify(members).slice(1, -1), _meta)
    }, freshMs)
  return {
    get: (call) => views.get(call.principal, keep).get(call),
    forget: () => views.clear(),
  }
}

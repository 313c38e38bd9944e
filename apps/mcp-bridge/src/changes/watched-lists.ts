import { INDEX_URI } from '@iii/protocol'
import { type McpCall, UNREACHABLE } from '../mcp/call.ts'
import { STATELESS_REVISION } from '../mcp/era.ts'
import { type ReadyResult, readyMembers } from '../mcp/rpc.ts'
import type { McpPrompts } from '../prompts/index.ts'
import type { McpResources } from '../resources/index.ts'
import { toListText } from './skill-files.ts'
import type { Draw } from './view.ts'
import type { Viewer } from './viewer.ts'

export interface WatchedListsOptions {
  readonly prompts: Pick<McpPrompts, 'list'>
  readonly resources: Pick<McpResources, 'list' | 'templates' | 'digest' | 'read'>
  /** What lists the tools, once it is there. */
  readonly tools: () => { list(call: McpCall): Promise<ReadyResult> }
  /** Has a list of tools others than those of all? */
  readonly hasOwnTools: (viewer: Viewer) => boolean
  readonly engineTimeoutMs: number
}

/** Lists and pages as clients see them, by kind and by address. */
export function toWatchedLists(options: WatchedListsOptions): ReadonlyMap<string, Draw> {
  const { prompts, resources, tools, hasOwnTools, engineTimeoutMs } = options
  const limits = { timeoutMs: engineTimeoutMs, plainMs: engineTimeoutMs, replyBytes: Number.POSITIVE_INFINITY }
  const toCall = (viewer: Viewer): McpCall => ({ ...LOOKING, ...viewer, limits, signal: new AbortController().signal })
  return new Map<string, Draw>([
    ['prompts', async (viewer) => JSON.stringify(await prompts.list(toCall(viewer)))],
    ['resources', (viewer) => listResources(resources, toCall(viewer))],
    // Whoever lists all of them is told whenever the catalog has changed, and need not wait for a look.
    ['tools', async (viewer) => (hasOwnTools(viewer) ? toText(await tools().list(toCall(viewer))) : '')],
    [INDEX_URI, async (viewer) => JSON.stringify(await resources.read({ uri: INDEX_URI }, toCall(viewer)))],
  ])
}

/** Hosts of the extension for skills hear of those by the same notification. */
async function listResources(
  { list, templates, digest }: WatchedListsOptions['resources'],
  call: McpCall,
): Promise<string> {
  return toListText(await Promise.all([list(call), templates(call), digest(call)]))
}

const toText = (ready: ReadyResult): string => readyMembers(ready) ?? JSON.stringify(ready)

/** A request of nobody's: what is looked at for whoever watches. */
const LOOKING: Omit<McpCall, 'principal' | 'attached' | 'limits' | 'signal'> = {
  id: 0,
  era: 'stateless',
  revision: STATELESS_REVISION,
  client: undefined,
  capabilities: {},
  session: undefined,
  share: { kind: 'admitted' },
  paramHeader: undefined,
  reach: UNREACHABLE,
}

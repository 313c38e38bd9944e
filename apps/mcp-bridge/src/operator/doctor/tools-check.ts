import { FETCH_TOOL_ID } from '@iii/protocol'
import { type Check, type Finding, formatCommand, formatCount, ok, problem, warning } from '@iii/sdk/cli'
import { parseApiPath } from '../../mcp/api-path.ts'
import { bridgeOptions } from '../../options.ts'
import { explainManagementTools } from '../explain/built-in.ts'
import type { Explained } from '../explain/explained.ts'
import { findSettingsOf, type JudgedBy } from '../explain/settings.ts'
import { startSurvey } from '../explain/survey.ts'
import type { BridgeContext } from './context.ts'
import { countAsClient, type ListedCounts } from './count-as-client.ts'

/** How many tools does a client see, and what hides the others? */
export const toolsCheck: Check<BridgeContext> = {
  name: 'tools',
  async run(context) {
    const by = await findSettingsOf(context.session)
    const { namespaces } = by.settings
    const survey = await startSurvey(await context.engine(), { rules: by.settings, namespaces })
    try {
      const { functions } = await survey.all({ internal: false })
      const counts = await count(context, by)
      return judge({ functions, listed: survey.listed, by, counts, explain: toExplain(context) })
    } finally {
      survey.close()
    }
  },
}

async function count({ http, session }: BridgeContext, by: JudgedBy): Promise<ListedCounts | undefined> {
  const path = parseApiPath(by.from === 'running' ? by.settings.apiPath : session.settings.value.apiPath)
  const address = await http()
  return path && address && countAsClient(address, path.path)
}

function toExplain({ session: { said } }: BridgeContext): string {
  return formatCommand('iii-mcp explain', said, bridgeOptions)
}

interface Evidence {
  readonly functions: readonly Explained[]
  /** Tools that are functions. */
  readonly listed: number
  readonly by: JudgedBy
  /** Of the bridge that answers over HTTP. */
  readonly counts: ListedCounts | undefined
  /** The command that lists them. */
  readonly explain: string
}

function judge({ functions, listed, by, counts, explain }: Evidence): Finding {
  const own = explainManagementTools(by.settings)
  const [stdio, http] = (['stdio', 'http'] as const).map((way) => listed + own.filter((tool) => tool[way].shown).length)
  const seen = `a client sees ${formatCount(stdio ?? 0, 'tool')} over stdio and ${http} over HTTP, ${by.remark}`
  const listing = counts === undefined ? seen : `${seen}; the running bridge lists ${formatCounts(counts)} over HTTP`
  const summary = by.settings.tools === 'search' ? `${listing} (tools: search, the others are found)` : listing
  const hidden = functions.filter(({ tool, prompts }) => !tool.shown && prompts.length === 0)
  const details = toDetails(hidden, own.filter((tool) => !tool.http.shown).length)
  // Skills are fetched with it; it is no worker's offer.
  const isEmpty = !functions.some(({ id, tool }) => tool.shown && id !== FETCH_TOOL_ID)
  if (hidden.length > 0 && isEmpty) {
    const [first] = hidden
    const change = first?.tool.changes?.[0]
    const orders = [...(change === undefined ? [] : [`of ${first?.id}: ${change}`]), `see what hides each: ${explain}`]
    return { ...problem(`everything that workers offer is hidden: ${summary}`, ...orders), details }
  }
  if (isEmpty) return warning(`no worker offers a function: ${summary}`, 'start a worker that registers some')
  return { ...ok(summary), details }
}

function formatCounts({ tools, prompts, resources }: ListedCounts): string {
  return `${formatCount(tools, 'tool')}, ${formatCount(prompts, 'prompt')} and ${formatCount(resources, 'resource')}`
}

const MAX_NAMED = 3

function toDetails(hidden: readonly Explained[], managementOverHttp: number): string[] {
  const byReason = new Map<string, string[]>()
  for (const { id, tool } of hidden) byReason.set(tool.reason ?? '', [...(byReason.get(tool.reason ?? '') ?? []), id])
  const lines = [...byReason].map(([reason, ids]) => {
    const more = ids.length > MAX_NAMED ? ', …' : ''
    return `${ids.length} hidden: ${reason} (${ids.slice(0, MAX_NAMED).join(', ')}${more})`
  })
  return managementOverHttp === 0
    ? lines
    : [
        ...lines,
        `${managementOverHttp} management tools are hidden over HTTP: without --http-builtins, or by --no-builtins`,
      ]
}

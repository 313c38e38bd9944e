import { toFault } from '@iii/protocol'
import { isAllowed } from '../catalog/allowed.ts'
import { toOperations } from '../catalog/operation-functions.ts'
import { readTools, type ToolReading } from '../catalog/read-tools.ts'
import type { ReceivedTool } from '../catalog/received-tool.ts'
import { toFunctions } from '../catalog/tool-function.ts'
import { toToolId } from '../catalog/tool-id.ts'
import type { ServerConfig } from '../configuration/server-config.ts'
import { type Diagnostic, ServerFailure } from '../diagnostics/diagnostic.ts'
import type { Notices } from '../diagnostics/notices.ts'
import type { FunctionSet } from '../functions/function-set.ts'
import type { PendingTool } from '../pins/pin.ts'
import type { Pins } from '../pins/pins.ts'
import type { SecretFilter } from '../redaction/secret-filter.ts'
import { readPagedList } from '../session/paged-list.ts'
import type { ServerSession } from '../session/session.ts'
import type { ToolStatus } from './server-status.ts'

/** The tools of a server: what it lists, what of that is approved, and what of it are functions. */
export interface ServerTools {
  readonly statuses: readonly ToolStatus[]
  readonly diagnostics: readonly Diagnostic[]
  /** The last list that was asked for did not come, or cannot be used. */
  readonly isStale: boolean
  /** What waits for approval. */
  readonly pending: readonly PendingTool[]
  /** Lists them anew; the last good list stays where that fails. Never rejects. */
  load(session: ServerSession, filter: SecretFilter): Promise<void>
  /** Judges the last list anew, because the file or an approval says something else. */
  judge(): Promise<void>
  /** Takes all functions back until the next judgement. */
  withdraw(): void
}

export interface ServerToolsOptions {
  config(): ServerConfig
  /** Whether its functions may be on the engine at the moment. */
  isShown(): boolean
  readonly functions: FunctionSet
  readonly pins: Pick<Pins, 'judge'>
  commandHash(): string
  /** Of what keeps tools away. */
  readonly notices: Notices
}

interface Listed {
  /** Undefined as long as there was no list: what is approved first is the first list. */
  readonly reading: ToolReading | undefined
  readonly filter: SecretFilter
  /** What it can do beside its tools. */
  readonly session: Pick<ServerSession, 'has'>
}

export function createServerTools(options: ServerToolsOptions): ServerTools {
  const { functions } = options
  let listed: Listed | undefined
  let judgement: Judgement = NOTHING
  let listProblem: Diagnostic | undefined
  let turn = 0
  /** Of this turn. */
  let judging: Promise<void> = Promise.resolve()

  const diagnostics = () => [...(listProblem === undefined ? [] : [listProblem]), ...judgement.diagnostics]

  function judge(): Promise<void> {
    if (listed !== undefined) judging = applyJudgement(listed, ++turn)
    return judging
  }

  async function applyJudgement(of: Listed, mine: number): Promise<void> {
    const next = await judgeTools(of, options)
    // A later one knows more.
    if (mine !== turn) return judging
    judgement = next
    functions.apply(options.isShown() ? next.functions : [])
    options.notices.tell(diagnostics())
  }

  return {
    get statuses() {
      return judgement.statuses
    },
    get diagnostics() {
      return diagnostics()
    },
    get pending() {
      return judgement.pending
    },
    get isStale() {
      return listProblem !== undefined
    },
    async load(session, filter) {
      let reading = listed?.reading
      try {
        reading = await list(session, options.config(), filter)
        listProblem = undefined
      } catch (error) {
        listProblem = toListProblem(error) ?? listProblem
      }
      listed = { reading, filter, session }
      await judge()
    },
    judge,
    withdraw() {
      turn++
      judging = Promise.resolve()
      functions.apply([])
    },
  }
}

/** Undefined where the process has ended meanwhile, which is told by itself. */
function toListProblem(error: unknown): Diagnostic | undefined {
  if (error instanceof ServerFailure) return error.diagnostic
  const { code, message } = toFault(error)
  return code === 'worker_lost' ? undefined : { code: 'list_failed', message }
}

/** @throws ServerFailure for a list that cannot be used, in whole */
async function list(
  session: ServerSession,
  { limits, timeouts }: ServerConfig,
  filter: SecretFilter,
): Promise<ToolReading | undefined> {
  if (!session.has('tools')) return undefined
  const { items, total } = await readPagedList(session, {
    method: 'tools/list',
    key: 'tools',
    timeoutMs: timeouts.listMs,
    maxItems: limits.tools,
    maxBytes: limits.messageBytes,
    clean: filter.text,
  })
  if (total <= limits.tools) return readTools(items, filter)
  throw new ServerFailure(
    'too_many_tools',
    `It lists ${total} tools and limits.tools is ${limits.tools}: none of the list was taken, since a part of it would be arbitrary`,
  )
}

interface Judgement {
  readonly functions: ReturnType<typeof toFunctions>['functions']
  readonly statuses: readonly ToolStatus[]
  readonly diagnostics: readonly Diagnostic[]
  readonly pending: readonly PendingTool[]
}

const NONE = { approved: [], pending: [] }
const NOTHING: Judgement = { functions: [], statuses: [], diagnostics: [], pending: [] }

async function judgeTools({ reading, filter, session }: Listed, options: ServerToolsOptions): Promise<Judgement> {
  const config = options.config()
  const { tools, diagnostics } = reading ?? { tools: [], diagnostics: [] }
  const { approved, pending } = reading === undefined ? NONE : await judgePins(tools, options)
  const made = toFunctions(config, approved, filter)
  const registered = new Set(made.functions.map((fn) => fn.tool))
  const waiting = new Set(pending.map(({ tool }) => tool.name))
  const stateOf = (name: string): ToolStatus['state'] => {
    if (!isAllowed(config, name)) return 'denied'
    if (waiting.has(name)) return 'pending'
    return registered.has(name) ? 'registered' : 'left_out'
  }
  const statuses = tools.map(({ name }): ToolStatus => {
    return { tool: filter.text(name), functionId: toToolId(config.name, name), state: stateOf(name) }
  })
  return {
    functions: [...made.functions, ...toOperations(config, session)],
    statuses,
    pending,
    diagnostics: [...diagnostics, ...made.diagnostics, ...toChanged(statuses, config)],
  }
}

function judgePins(tools: readonly ReceivedTool[], { config, pins, commandHash }: ServerToolsOptions) {
  const { name, changedTools } = config()
  return pins.judge({ name, commandHash: commandHash(), accepts: changedTools === 'accept' }, tools)
}

function toChanged(statuses: readonly ToolStatus[], { name }: ServerConfig): Diagnostic[] {
  const count = statuses.filter(({ state }) => state === 'pending').length
  if (count === 0) return []
  const message = `${count} of its tools are new or changed and wait for approval: \`iii-mcp-client approve ${name}\` shows what is different`
  return [{ code: 'tools_changed', message }]
}

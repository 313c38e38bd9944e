import { EXIT, formatTable } from '@iii/sdk/cli'
import { toToolId } from '../catalog/tool-id.ts'
import { readFileServers, requireServer } from './file-servers.ts'
import { explainAbsence, viewServers } from './server-view.ts'
import type { ClientSession, ClientWork } from './session.ts'
import { type RunningStatus, requireRunning } from './worker-status.ts'

/** `tools [NAME]`; ends with 1 where the tools of the server that is named are not known. */
export const tools: ClientWork = async (session) => {
  const [name] = session.operands
  const entries = readFileServers(session)
  const asked = name === undefined ? entries : [requireServer(entries, name)]
  const statuses = await requireRunning(session, name)
  const rows = statuses.flatMap(toRows)
  const absences = viewServers(asked, { statuses }).flatMap((view) => {
    const why = explainAbsence(view)
    return why === undefined ? [] : [{ server: view.name, state: view.state ?? null, why }]
  })
  if (session.flags.json) session.screen.printJson({ tools: rows.map(toJson), absences })
  else show(session, rows, absences)
  return name !== undefined && rows.length === 0 && absences.length > 0 ? EXIT.failed : EXIT.done
}

interface Absence {
  readonly server: string
  readonly why: string
}

function show({ screen }: Pick<ClientSession, 'screen'>, rows: readonly Row[], absences: readonly Absence[]): void {
  const cells = rows.map(({ server, tool, id, state, why = '' }) => [server, tool, state, id, why])
  if (rows.length === 0) screen.tell('no tools')
  else screen.print(formatTable(COLUMNS, cells, screen.columns))
  for (const { server, why } of absences) screen.tell(`${server}: ${why}`)
}

const COLUMNS = [{ title: 'SERVER' }, { title: 'TOOL' }, { title: 'STATE' }, { title: 'FUNCTION' }, { title: 'NOTE' }]

interface Row {
  readonly server: string
  readonly tool: string
  /** Of the function that it is, or would be. */
  readonly id: string
  readonly state: string
  readonly why: string | undefined
}

function toJson({ server, tool, id, state, why }: Row) {
  return { server, tool, function_id: id, state, why: why ?? null }
}

function toRows({ name: server, tools: all, diagnostics }: RunningStatus): Row[] {
  return all.map(({ tool, functionId, state }) => {
    const id = functionId === '' ? toToolId(server, tool) : functionId
    return { server, tool, id, state, why: explainState(server, tool, state, diagnostics) }
  })
}

function explainState(
  server: string,
  tool: string,
  state: RunningStatus['tools'][number]['state'],
  diagnostics: RunningStatus['diagnostics'],
): string | undefined {
  if (state === 'registered') return undefined
  if (state === 'pending') return `iii-mcp-client approve ${server} shows what is different`
  if (state === 'denied') return `servers.${server}.tools`
  return diagnostics.find(({ code, subject }) => code === 'tool_left_out' && subject === tool)?.message
}

import { EXIT, formatTable } from '@iii/sdk/cli'
import { toToolId } from '../catalog/tool-id.ts'
import { readFileServers, requireServer } from './file-servers.ts'
import type { ClientWork } from './session.ts'
import { type RunningStatus, requireRunning } from './worker-status.ts'

/** `tools [NAME]` */
export const tools: ClientWork = async (session) => {
  const { flags, screen, operands } = session
  const [name] = operands
  const entries = readFileServers(session)
  if (name !== undefined) requireServer(entries, name)
  const statuses = await requireRunning(session, name)
  const rows = statuses.flatMap(toRows)
  if (flags.json)
    screen.printJson({
      tools: rows.map(({ server, tool, id, state, why }) => ({
        server,
        tool,
        function_id: id,
        state,
        why: why ?? null,
      })),
    })
  else if (rows.length === 0) screen.tell('no tools')
  else
    screen.print(
      formatTable(
        COLUMNS,
        rows.map(({ server, tool, id, state, why = '' }) => [server, tool, state, id, why]),
        screen.columns,
      ),
    )
  return EXIT.done
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

import { CommandFailure, EXIT, formatTable, toShown } from '@iii/sdk/cli'
import { createStarter } from '../assemble.ts'
import { toToolId } from '../catalog/tool-id.ts'
import { toCommandHash } from '../configuration/compare.ts'
import type { ServerConfig, ServerEntry } from '../configuration/server-config.ts'
import { createCounts } from '../diagnostics/counts.ts'
import { type Diagnostic, ServerFailure } from '../diagnostics/diagnostic.ts'
import { connectToServer } from '../servers/connection.ts'
import type { ToolStatus } from '../servers/server-status.ts'
import { createStderrRing } from '../servers/stderr-ring.ts'
import { createServerTools } from '../servers/tools.ts'
import { toAdvice } from './advice.ts'
import { toPinsPath } from './approve.ts'
import { readFileServers, requireServer } from './file-servers.ts'
import { createPinReader } from './pin-reader.ts'
import type { ClientSession, ClientWork } from './session.ts'

/** What came of starting a server. */
interface Trial {
  readonly name: string
  readonly isWell: boolean
  readonly server: { readonly name: string; readonly version: string; readonly protocolVersion: string } | undefined
  readonly tools: readonly ToolStatus[]
  readonly diagnostics: readonly Diagnostic[]
  readonly stderr: readonly string[]
}

/** `check [NAME]`: starts servers by themselves, one after the other, and stops them again; of all others it says why not. */
export const check: ClientWork = async (session) => {
  const { flags, screen, operands } = session
  const entries = readFileServers(session)
  const chosen = operands[0] === undefined ? entries : [requireStarted(entries, operands[0])]
  const trials: Trial[] = []
  for (const entry of chosen.filter(isStarted)) {
    const trial = await tryServer(entry.config, session)
    trials.push(trial)
    if (!flags.json) screen.print(format(trial, screen.columns))
  }
  const notStarted = chosen.flatMap((entry) => toNotStarted(entry) ?? [])
  if (flags.json) screen.printJson({ servers: trials, not_started: notStarted })
  else for (const line of describeOthers(chosen.length, notStarted)) screen.tell(line)
  const isWell = trials.every((trial) => trial.isWell) && chosen.every((entry) => 'config' in entry)
  return isWell ? EXIT.done : EXIT.failed
}

function describeOthers(count: number, notStarted: readonly { name: string; reason: string }[]): string[] {
  if (count === 0) return ['the file names no server']
  return notStarted.map(({ name, reason }) => `${name}: not started: ${reason}`)
}

type Started = Extract<ServerEntry, { config: ServerConfig }>

function isStarted(entry: ServerEntry): entry is Started {
  return toNotStarted(entry) === undefined
}

/** Why the file does not let a server start; undefined where it does. */
function toNotStarted(entry: ServerEntry): { name: string; reason: string } | undefined {
  const { name } = entry
  if (!('config' in entry)) return { name, reason: entry.problems.map(({ message }) => message).join('\n') }
  const { isDisabled, isTrusted } = entry.config
  if (isDisabled) return { name, reason: `servers.${name}.disabled is true` }
  if (isTrusted) return undefined
  return { name, reason: `servers.${name}.trust is missing: ${toAdvice('not_trusted', name)}` }
}

/** @throws CommandFailure `missing`; `failed` for one that the file does not let start */
function requireStarted(entries: readonly ServerEntry[], name: string): ServerEntry {
  const entry = requireServer(entries, name)
  const hindrance = toNotStarted(entry)
  if (hindrance === undefined) return entry
  throw new CommandFailure(EXIT.failed, `${name} is not started: ${hindrance.reason}`)
}

async function tryServer(config: ServerConfig, session: ClientSession): Promise<Trial> {
  const { host, version } = session
  const { name } = config
  const stderr = createStderrRing()
  const starter = createStarter({ ...host, client: { name: 'iii-mcp-client', version } })
  try {
    const connection = await connectToServer({
      ...starter,
      config: () => config,
      counts: createCounts(),
      signal: new AbortController().signal,
      onToolsChanged: () => undefined,
      stderr,
    })
    try {
      const tools = createServerTools({
        config: () => config,
        isShown: () => false,
        functions: { ids: [], has: () => false, apply: () => undefined },
        pins: createPinReader(toPinsPath(session), host.platform),
        notices: { tell: () => undefined },
        commandHash: () => toCommandHash(config),
      })
      await tools.load(connection.session, connection.filter)
      return {
        name,
        isWell: !tools.isStale,
        server: connection.session.info,
        tools: tools.statuses,
        diagnostics: tools.diagnostics,
        stderr: [],
      }
    } finally {
      await connection.stop()
    }
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    return {
      name,
      isWell: false,
      server: undefined,
      tools: [],
      diagnostics: [error.diagnostic],
      stderr: stderr.lines(),
    }
  }
}

const COLUMNS = [{ title: 'TOOL' }, { title: 'STATE' }, { title: 'FUNCTION' }]

function format({ name, isWell, server, tools, diagnostics, stderr }: Trial, width: number | undefined): string {
  const what = server === undefined ? '' : ` (${server.name} ${server.version}, MCP ${server.protocolVersion})`
  const notes = diagnostics.flatMap(({ code, message }) => [`  ${code}: ${message}`, `    → ${toAdvice(code, name)}`])
  const lines = [
    `${name}: ${isWell ? 'starts' : 'does not work'}${what}`,
    ...notes,
    ...stderr.map((line) => `  stderr: ${line}`),
  ]
  // An id that is not registered is that of the function that it would be.
  const rows = tools.map(({ tool, functionId, state }) => [
    tool,
    state === 'registered' ? 'would be registered' : state,
    functionId === '' ? toToolId(name, tool) : functionId,
  ])
  return `${lines.map(toShown).join('\n')}\n${rows.length === 0 ? '' : formatTable(COLUMNS, rows, width)}`
}

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
import { readFileServers, requireGood } from './file-servers.ts'
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

/** `check [NAME]`: starts servers by themselves, one after the other, and stops them again. */
export const check: ClientWork = async (session) => {
  const { flags, screen, operands } = session
  const entries = readFileServers(session)
  const configs =
    operands[0] === undefined
      ? entries.filter(isStarted).map(({ config }) => config)
      : [requireStarted(entries, operands[0])]
  const trials: Trial[] = []
  for (const config of configs) {
    const trial = await tryServer(config, session)
    trials.push(trial)
    if (!flags.json) screen.print(format(trial, screen.columns))
  }
  if (flags.json) screen.printJson({ servers: trials })
  else if (trials.length === 0) screen.tell('no server of the file is trusted and enabled, so none was started')
  return trials.every(({ isWell }) => isWell) ? EXIT.done : EXIT.failed
}

function isStarted(entry: ServerEntry): entry is Extract<ServerEntry, { config: ServerConfig }> {
  return 'config' in entry && entry.config.isTrusted && !entry.config.isDisabled
}

/** @throws CommandFailure `failed` for one that the file does not let start */
function requireStarted(entries: readonly ServerEntry[], name: string): ServerConfig {
  const { config } = requireGood(entries, name)
  if (config.isDisabled) throw new CommandFailure(EXIT.failed, `servers.${name}.disabled is true: it is not started`)
  if (config.isTrusted) return config
  throw new CommandFailure(
    EXIT.failed,
    `servers.${name}.trust is missing, so it is not started: ${toAdvice('not_trusted', name)}`,
  )
}

async function tryServer(config: ServerConfig, session: ClientSession): Promise<Trial> {
  const { host, version } = session
  const { name } = config
  const stderr = createStderrRing()
  const starter = createStarter({ ...host, client: { name: 'iii-mcp-client', version } })
  try {
    const connection = await connectToServer({
      ...starter,
      config,
      counts: createCounts(),
      signal: new AbortController().signal,
      onToolsChanged: () => undefined,
      stderr,
    })
    try {
      const tools = createServerTools({
        config: () => config,
        isShown: () => false,
        functions: { ids: [], apply: () => undefined },
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

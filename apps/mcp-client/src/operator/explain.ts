import { parseToolName } from '@iii/protocol'
import { CommandFailure, EXIT, type ExitCode, toShown, wrap } from '@iii/sdk/cli'
import { type Explanation, explainFunction } from './explanation.ts'
import { readFileServers, requireServer } from './file-servers.ts'
import { viewServer } from './server-view.ts'
import type { ClientWork } from './session.ts'
import { askRunning } from './worker-status.ts'

/** `explain FUNCTION` */
export const explain: ClientWork = async (session) => {
  const { flags, screen, operands } = session
  const id = toFunctionId(operands[0] ?? '')
  const entry = requireServer(readFileServers(session), id.slice(0, id.indexOf('::')))
  const running = await askRunning(session, entry.name)
  const found = explainFunction(id, viewServer(entry, running.absence === undefined ? running.statuses : undefined))
  if (flags.json) {
    const { tool = null, change = null, ...rest } = found
    screen.printJson({
      worker: running.absence === undefined,
      function_id: id,
      server: entry.name,
      tool,
      ...rest,
      change,
      gate: toGate(id),
    })
  } else {
    if (running.absence !== undefined) screen.tell(`${running.absence}; this is from the file alone`)
    screen.print(format(id, entry.name, found, screen.columns))
  }
  return toExitCode(found)
}

/** @throws CommandFailure `usage` */
function toFunctionId(name: string): string {
  const id = name.includes('::') ? name : (parseToolName(name) ?? '')
  if (id.includes('::')) return id
  throw new CommandFailure(
    EXIT.usage,
    `'${name}' is no function of a server: say NAME::TOOL, or the name of its tool, NAME__TOOL`,
  )
}

function toExitCode({ state }: Explanation): ExitCode {
  if (state === 'registered') return EXIT.done
  return state === 'not_listed' ? EXIT.missing : EXIT.failed
}

/** Of the other two layers one decides about each call. */
function toGate(id: string): string {
  return `whether an MCP client sees it and may call it is the gate's to decide: iii-mcp explain ${id}`
}

const WORDS: Readonly<Record<Explanation['state'], string>> = {
  registered: 'registered',
  pending: 'not registered: waits for approval',
  denied: 'not registered: denied',
  left_out: 'not registered: left out',
  not_running: 'not registered: its server does not run',
  not_listed: 'not registered: unknown to its server',
  unknown: 'not known to be registered',
}

const DEFAULT_WIDTH = 100
const INDENT = ' '.repeat(10)

function format(id: string, server: string, found: Explanation, width = DEFAULT_WIDTH): string {
  const { state, tool, rule, reason, change } = found
  const rows = [
    ['server', tool === undefined ? server : `${server}, whose tool '${tool}' it is`],
    ['rule', `${rule}: ${reason}`],
    ...(change === undefined ? [] : [['change', change]]),
    ['gate', toGate(id)],
  ]
  const lines = rows.flatMap(([title = '', text = '']) => {
    const [head = '', ...rest] = wrap(toShown(text), Math.max(30, width - INDENT.length))
    return [`  ${title.padEnd(8)}${head}`, ...rest.map((line) => INDENT + line)]
  })
  return `${[`${toShown(id)}: ${WORDS[state]}`, ...lines].join('\n')}\n`
}

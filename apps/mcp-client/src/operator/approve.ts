import { dirname, resolve } from 'node:path'
import { createLog, findNearest } from '@iii/sdk'
import { CommandFailure, EXIT, toUsage } from '@iii/sdk/cli'
import { toCommandHash } from '../configuration/compare.ts'
import { createPins } from '../pins/pins.ts'
import { readFileServers, requireGood } from './file-servers.ts'
import { toUnknown } from './server-view.ts'
import type { ClientSession, ClientWork } from './session.ts'
import { type RunningStatus, requireRunning } from './worker-status.ts'

type Pending = RunningStatus['pending']

/** `approve NAME [TOOL…]`: shows how tools differ from what was approved, asks, and writes the lock file. */
export const approve: ClientWork = async (session) => {
  const { flags, screen, operands, host } = session
  const [name = '', ...names] = operands
  const { config } = requireGood(readFileServers(session), name)
  const [status] = await requireRunning(session, name)
  const pending = choose(requireKnown(name, status), names)
  const server = { name, commandHash: toCommandHash(config) }
  const tools = pending.map(({ tool }) => tool)
  const log = createLog({ name: 'iii-mcp-client', level: 'silent' })
  const pins = createPins({ path: toPinsPath(session), log })
  const changes = pins.describeChanges(server, tools)
  if (!flags.json) for (const { tool, kind, lines } of changes) screen.print(format(tool, kind, lines))
  const isApproved = tools.length > 0 && (flags.yes || (await confirm(host, flags.json, tools.length)))
  const approved = isApproved ? await pins.approve(server, tools) : []
  if (flags.json) screen.printJson({ server: name, approved, changes })
  else screen.tell(summarise(name, tools.length, approved))
  return tools.length === approved.length ? EXIT.done : EXIT.failed
}

/** The lock file that the worker has, which lies beside its configuration. */
export function toPinsPath({ settings }: Pick<ClientSession, 'settings'>): string {
  return resolve(dirname(settings.file ?? '.'), settings.value.pins)
}

/** What waits. @throws CommandFailure `failed` where the worker does not know the tools, so that nothing waits, and something may in a moment */
function requireKnown(name: string, status: RunningStatus | undefined): Pending {
  const isKnown = status?.state === 'ready' || status?.state === 'churning'
  if (isKnown || (status?.pending.length ?? 0) > 0) return status?.pending ?? []
  const reason = status === undefined ? toUnknown(name).message : `it is ${status.state}`
  throw new CommandFailure(
    EXIT.failed,
    `which tools of ${name} wait is not known: ${reason}. See \`iii-mcp-client show ${name}\``,
  )
}

/** @throws CommandFailure `missing` for a tool that does not wait */
function choose(pending: Pending, names: readonly string[]): Pending {
  const waiting = pending.map(({ tool }) => tool.name)
  const missing = names.find((name) => !waiting.includes(name))
  if (missing === undefined)
    return names.length === 0 ? pending : pending.filter(({ tool }) => names.includes(tool.name))
  const nearest = findNearest(missing, waiting)
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
  throw new CommandFailure(EXIT.missing, `no tool '${missing}' waits for approval${hint}`)
}

const KINDS = {
  new: 'nobody has approved it',
  changed: 'it has changed',
  command: 'what its server runs has changed: command, args, cwd or env',
} as const

function format(tool: string, kind: keyof typeof KINDS, lines: readonly string[]): string {
  return `${[`${tool}: ${KINDS[kind]}`, ...lines.map((line) => `  ${line}`)].join('\n')}\n`
}

/** @throws CommandFailure `usage` where nobody can be asked */
async function confirm({ ask }: ClientSession['host'], isJson: boolean, count: number): Promise<boolean> {
  if (ask === undefined || isJson) {
    throw toUsage(
      'nothing is approved: nobody can be asked here; look at what is different, and say --yes',
      'iii-mcp-client approve',
    )
  }
  const answer = await ask(`Approve ${count === 1 ? 'this tool' : `these ${count} tools`} as shown? [y/N] `)
  return /^y(?:es)?$/i.test(answer.trim())
}

function summarise(name: string, asked: number, approved: readonly string[]): string {
  if (asked === 0) return `nothing of ${name} waits for approval`
  if (approved.length === 0) return 'nothing is approved'
  return `${approved.length} approved; the running worker takes it up within two seconds`
}

import { EXIT, formatTable } from '@iii/sdk/cli'
import { hideSecrets } from '../configuration/secret-look.ts'
import { readFileServers } from './file-servers.ts'
import { countTools, type ServerView, viewServers } from './server-view.ts'
import type { ClientWork } from './session.ts'
import { askRunning } from './worker-status.ts'

/** `list` */
export const list: ClientWork = async (session) => {
  const { flags, screen } = session
  const entries = readFileServers(session)
  const running = await askRunning(session)
  const views = viewServers(entries, running)
  if (flags.json) {
    screen.printJson({ worker: running.absence === undefined, servers: views.map(toJson) })
    return EXIT.done
  }
  if (running.absence !== undefined) screen.tell(`${running.absence}; this is from the file alone`)
  if (views.length === 0) screen.tell('no servers')
  else screen.print(formatTable(COLUMNS, views.map(toRow), screen.columns))
  return EXIT.done
}

const COLUMNS = [{ title: 'SERVER' }, { title: 'STATE' }, { title: 'TOOLS' }, { title: 'COMMAND' }, { title: 'NOTE' }]

function toRow(view: ServerView): string[] {
  const [note, ...others] = view.notes
  const more = others.length === 0 ? '' : ` (and ${others.length} more: iii-mcp-client show ${view.name})`
  return [
    view.name,
    view.state ?? 'not running',
    formatCounts(view),
    formatServerCommand(view),
    note === undefined ? '' : `${note.message}${more}`,
  ]
}

function formatCounts({ status }: ServerView): string {
  if (status === undefined) return ''
  const counts = countTools(status)
  const pending = counts.get('pending') ?? 0
  return `${counts.get('registered') ?? 0}${pending === 0 ? '' : `, ${pending} pending`}`
}

/** What is run, without what looks like a secret among its arguments. */
export function formatServerCommand({ entry }: Pick<ServerView, 'entry'>): string {
  if (entry === undefined || !('config' in entry)) return ''
  const { command, args } = entry.config
  return [command, ...hideSecrets(args)].join(' ')
}

function toJson(view: ServerView) {
  const { name, entry, status, state, notes } = view
  const config = entry !== undefined && 'config' in entry ? entry.config : undefined
  return {
    name,
    state: state ?? null,
    since: status?.since ?? null,
    trusted: config?.isTrusted ?? false,
    command: config?.command ?? null,
    args: hideSecrets(config?.args ?? []),
    tools: status === undefined ? null : Object.fromEntries(countTools(status)),
    diagnostics: notes,
  }
}

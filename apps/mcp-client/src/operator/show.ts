import { toVisible } from '@iii/protocol'
import { EXIT, toShown } from '@iii/sdk/cli'
import { hideSecrets } from '../configuration/secret-look.ts'
import type { EnvironmentSource, ServerConfig } from '../configuration/server-config.ts'
import { readFileServers, requireServer } from './file-servers.ts'
import { formatServerCommand } from './list.ts'
import { countTools, type ServerView, viewServer } from './server-view.ts'
import type { ClientWork } from './session.ts'
import { askRunning, type RunningStatus } from './worker-status.ts'

/** `show NAME` */
export const show: ClientWork = async (session) => {
  const { flags, screen, operands } = session
  const entry = requireServer(readFileServers(session), operands[0] ?? '')
  const running = await askRunning(session, entry.name)
  const view = viewServer(entry, running.absence === undefined ? running.statuses : undefined)
  if (flags.json) {
    screen.printJson({ worker: running.absence === undefined, ...toJson(view) })
    return EXIT.done
  }
  if (running.absence !== undefined) screen.tell(`${running.absence}; this is from the file alone`)
  screen.print(`${describe(view).join('\n')}\n`)
  return EXIT.done
}

function toJson({ name, entry, status, state, notes }: ServerView) {
  const settings = entry !== undefined && 'config' in entry ? toSettings(entry.config) : null
  const { pending: _, diagnostics: __, ...told } = status ?? {}
  return { name, state: state ?? null, settings, status: status === undefined ? null : told, diagnostics: notes }
}

/** As they are after defaults, without values of variables. */
function toSettings({ environment, args, ...config }: ServerConfig) {
  const set = Object.fromEntries([...environment.set].map(([name, source]) => [name, describeSource(source)]))
  return { ...config, args: hideSecrets(args), environment: { inherit: environment.inherit, set } }
}

const INDENT = ' '.repeat(16)

function describe(view: ServerView): string[] {
  const { name, entry, status, state, notes } = view
  const since = status === undefined ? '' : ` since ${status.since}`
  const pid = status?.pid === undefined ? '' : `, pid ${status.pid}`
  return [
    `${name}: ${state ?? 'not running'}${since}${pid}`,
    ...(entry !== undefined && 'config' in entry ? describeConfig(view, entry.config) : []),
    ...(status === undefined ? [] : describeStatus(status)),
    ...block(
      'problems',
      notes.map(({ code, message }) => `${code}: ${message}`),
    ),
  ].map(toShown)
}

function describeConfig(view: ServerView, config: ServerConfig): string[] {
  const { environment, tools } = config
  const set = [...environment.set].map(([name, source]) => `${name} (${describeSource(source)})`)
  return [
    line('command', formatServerCommand(view)),
    line('folder', config.cwd),
    line('trust', config.isTrusted ? 'unsandboxed: it runs with all rights of the worker' : 'none: it is not started'),
    ...block('variables', [...environment.inherit.map((name) => `${name} (inherited)`), ...set]),
    line('allowed', tools.allow.join(', ')),
    ...(tools.deny.length === 0 ? [] : [line('denied', tools.deny.join(', '))]),
  ]
}

function describeSource(source: EnvironmentSource): string {
  if (source.kind === 'value') return 'written in the file'
  return source.kind === 'env' ? `from the variable ${source.name}` : `from the file ${source.path}`
}

function describeStatus(status: RunningStatus): string[] {
  const { server, tools, counts, failures, nextTry, lastFailure, stderr } = status
  const byState = [...countTools(status)].map(([state, count]) => `${count} ${state}`)
  const counted = Object.entries(counts).map(([what, count]) => `${what} ${count}`)
  const next = nextTry === undefined ? '' : `; the next try is at ${nextTry}`
  return [
    ...(server === undefined ? [] : describeServer(server)),
    ...(tools.length === 0 ? [] : [line('tools', byState.join(', '))]),
    ...(counted.length === 0 ? [] : [line('counted', counted.join(', '))]),
    ...(failures === 0 ? [] : [line('failures', `${failures} in a row${next}`)]),
    ...(lastFailure === undefined ? [] : [line('before', describeFailure(lastFailure))]),
    ...block('stderr', stderr.slice(-STDERR_LINES)),
  ]
}

function describeFailure({ code, message, at }: NonNullable<RunningStatus['lastFailure']>): string {
  return `${code} at ${at}: ${message}`
}

const STDERR_LINES = 20

function describeServer(server: NonNullable<RunningStatus['server']>): string[] {
  const { name, version, protocolVersion, capabilities, instructions } = server
  return [
    line('server', `${name} ${version}, MCP ${protocolVersion}`),
    line('capabilities', capabilities.join(', ')),
    ...block('instructions', instructions === undefined ? [] : toVisible(instructions).split('\n')),
  ]
}

function line(title: string, text: string): string {
  return `  ${title.padEnd(INDENT.length - 2)}${text}`
}

function block(title: string, lines: readonly string[]): string[] {
  return lines.map((text, at) => (at === 0 ? line(title, text) : `${INDENT}${text}`))
}

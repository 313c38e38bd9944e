import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  busExposureCheck,
  type Check,
  createNamesCheck,
  createNamespaceCheck,
  type DoctorContext,
  diagnose,
  type Finding,
  formatCommand,
  formatCount,
  ok,
  problem,
  skipped,
  spansCheck,
  warning,
} from '@iii/sdk/cli'
import { readEnvironment } from '../configuration/environment.ts'
import { readServers } from '../configuration/read-servers.ts'
import type { ServerEntry } from '../configuration/server-config.ts'
import type { Code, Diagnostic } from '../diagnostics/diagnostic.ts'
import { readLockFile, readLockText } from '../pins/lock-file.ts'
import { OWN_IDS } from '../servers/worker-functions.ts'
import { toAdvice } from './advice.ts'
import { toPinsPath } from './approve.ts'
import { type ServerView, viewServer } from './server-view.ts'
import type { ClientSession, ClientWork } from './session.ts'
import { askRunning, type Running } from './worker-status.ts'

type Context = DoctorContext<ClientSession>

const ENGINE_CHECKS: readonly Check<Context>[] = [
  spansCheck,
  createNamesCheck({ workerName: 'mcp-client', functionIds: () => OWN_IDS }),
  createNamespaceCheck(),
  busExposureCheck,
]

/** `doctor` */
export const doctor: ClientWork = (session) => {
  const entries = readEntries(session)
  let asked: Promise<Running> | undefined
  const running = () => {
    asked ??= askRunning(session)
    return asked
  }
  const { file, locked } = session.settings
  // Of a file that cannot be used nobody is trusted, whatever it says.
  const trustChecks = locked === undefined ? [sandboxCheck(entries)] : []
  const fileChecks = file === undefined ? [unnamedFileCheck] : [...trustChecks, lockFileCheck]
  const localChecks = [...fileChecks, ...entries.map((entry) => serverCheck(entry, running))]
  const names = { program: 'iii-mcp-client', packageName: '@iii/mcp-client', noun: "worker 'mcp-client'" }
  return diagnose(session, { ...names, checks: [workerCheck(running), ...ENGINE_CHECKS], localChecks })
}

/** As far as they can be read, where the file cannot be used: whoever mends it wants to know of all of it. */
function readEntries({ settings: { file, legible, lineOf } }: ClientSession): readonly ServerEntry[] {
  return file === undefined ? [] : readServers(legible.servers, { folder: dirname(file), lineOf })
}

/** Servers are in a file alone: without it there is nothing to look at, and no reason to call that well. */
const unnamedFileCheck: Check<Context> = {
  name: 'servers',
  run: async () =>
    warning('no file is named, so no server is looked at', 'name the file of the worker: --config FILE, or III_CONFIG'),
}

/** Nothing keeps a server from what this worker may do: said each time, so that nobody takes the checks above for a wall. */
function sandboxCheck(entries: readonly ServerEntry[]): Check<Context> {
  const trusted = entries.filter((entry) => 'config' in entry && entry.config.isTrusted && !entry.config.isDisabled)
  const text = trusted.map(({ name }) => name).join(', ')
  const found =
    trusted.length === 0
      ? ok('no server of the file is trusted, so none runs')
      : ok(`${text}: not sandboxed, with all rights of the worker: files, network, programs`)
  return { name: 'sandbox', run: async () => found }
}

/** Can what was approved be read? */
const lockFileCheck: Check<Context> = {
  name: 'lock file',
  async run({ session }) {
    const path = toPinsPath(session)
    const found = readLockText(path, session.host.platform)
    if (found === 'missing') return judgeMissing(path, session)
    const reading = 'text' in found ? readLockFile(found.text) : found
    if ('pinned' in reading) return ok(`${path}: tools of ${formatCount(reading.pinned.size, 'server')} are approved`)
    return problem(`${path}: the file ${reading.problem}; until then no tool that it does not approve is shown`)
  },
}

/** Without it nothing is approved, so it has to come about. */
async function judgeMissing(path: string, session: ClientSession): Promise<Finding> {
  try {
    await access(dirname(path), constants.W_OK)
    return ok(`${path}: not there yet; the first list of each server makes it`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return problem(
      `${path}: not there, and this user cannot make it (${code}); until then tools of new servers wait, except with changed_tools: accept`,
      `make its folder, and let the worker write there, or name another file by \`pins\`; then start the worker anew, or approve what waits: ${toCommand(session, 'iii-mcp-client approve NAME')}`,
    )
  }
}

/** Is there a worker that runs the servers? */
function workerCheck(running: () => Promise<Running>): Check<Context> {
  return {
    name: 'worker',
    async run({ session }) {
      const found = await running()
      if (found.absence !== undefined)
        return problem(found.absence, `start it: ${toCommand(session, 'iii-mcp-client')}`)
      return ok(`mcp-client runs, with ${formatCount(found.statuses.length, 'server')}`)
    },
  }
}

function serverCheck(entry: ServerEntry, running: () => Promise<Running>): Check<Context> {
  return {
    name: `server ${entry.name}`,
    async run({ session }) {
      const found = await running()
      const view = viewServer(entry, found.absence === undefined ? found.statuses : undefined)
      if (view.notes.length > 0) return judge(view, view.notes, session)
      const missing = view.status === undefined ? await findMissingSecret(entry, session) : undefined
      return missing === undefined ? describe(view, session) : judge(view, [missing], session)
    },
  }
}

/** Cost nothing by themselves. */
const WARNINGS: readonly Code[] = ['unknown_key', 'file_within_reach', 'tool_left_out', 'tools_changed', 'list_churn']

function judge({ name }: ServerView, notes: readonly Diagnostic[], session: ClientSession): Finding {
  const isProblem = notes.some(({ code }) => !WARNINGS.includes(code))
  const summary = notes.map(({ code, message }) => `${code}: ${message}`).join('; ')
  const advice = [...new Set(notes.map(({ code }) => complete(toAdvice(code, name), session)))]
  return isProblem ? problem(summary, ...advice) : warning(summary, ...advice)
}

/** A command of ours at the end of an advice, with what this one was told. */
function complete(advice: string, session: ClientSession): string {
  return advice.replace(/iii-mcp-client \w+ \S+$/, (command) => toCommand(session, command))
}

function toCommand({ said }: ClientSession, command: string): string {
  return formatCommand(command, said, {})
}

/** The worker may have another environment; without it this is the best that can be said. */
async function findMissingSecret(entry: ServerEntry, { host }: ClientSession): Promise<Diagnostic | undefined> {
  if (!('config' in entry) || entry.config.isDisabled) return undefined
  const made = await readEnvironment(entry.config.environment, host)
  return 'problem' in made ? made.problem : undefined
}

function describe({ status, state }: ServerView, session: ClientSession): Finding {
  if (state === 'disabled') return ok('disabled: it is not started')
  if (status === undefined)
    return skipped('its entry is well; whether it starts, the running worker or `check` would say')
  const count = status.tools.filter((tool) => tool.state === 'registered').length
  if (state === 'ready') return ok(`ready, with ${formatCount(count, 'tool')}`)
  return warning(
    `${state ?? 'not there'} since ${status.since}`,
    `look again in a moment: ${toCommand(session, `iii-mcp-client show ${status.name}`)}`,
  )
}

import type { ServerEntry } from '../configuration/server-config.ts'
import type { Code, Diagnostic } from '../diagnostics/diagnostic.ts'
import { toNotTrusted } from '../servers/desired-state.ts'
import type { ServerState, ToolStatus } from '../servers/server-status.ts'
import type { Running, RunningStatus } from './worker-status.ts'

/** A server as the file and the running worker have it. */
export interface ServerView {
  readonly name: string
  /** Undefined for one that the running worker has, and the file has not. */
  readonly entry: ServerEntry | undefined
  readonly status: RunningStatus | undefined
  /** As the worker tells it, else as far as the file decides it. */
  readonly state: ServerState | undefined
  readonly notes: readonly Diagnostic[]
}

export function viewServers(entries: readonly ServerEntry[], running: Running): readonly ServerView[] {
  const statuses = running.absence === undefined ? running.statuses : undefined
  const views = entries.map((entry) => viewServer(entry, statuses))
  const others = (statuses ?? []).filter(({ name }) => !entries.some((entry) => entry.name === name))
  return [
    ...views,
    ...others.map((status) => ({
      name: status.name,
      entry: undefined,
      status,
      state: status.state,
      notes: [ELSEWHERE, ...status.diagnostics],
    })),
  ]
}

const ELSEWHERE: Diagnostic = {
  code: 'other_file',
  message:
    'the running worker has it, and this file has not: the worker reads another file, or has not read this one again yet',
}

/** @param statuses of the running worker; undefined when there is none */
export function viewServer(entry: ServerEntry, statuses: readonly RunningStatus[] | undefined): ServerView {
  const status = statuses?.find(({ name }) => name === entry.name)
  const { name } = entry
  if (status !== undefined) return { name, entry, status, state: status.state, notes: status.diagnostics }
  const { state, notes } = readFromFile(entry)
  return { name, entry, status, state, notes: statuses === undefined ? notes : [toUnknown(name), ...notes] }
}

/** Of a server that the file has. */
export function toUnknown(name: string): Diagnostic {
  const message = 'the running worker does not have it: it reads another file, or has not read this one again yet'
  return { code: 'other_file', message, subject: `servers.${name}` }
}

function readFromFile(entry: ServerEntry): Pick<ServerView, 'state' | 'notes'> {
  if ('problems' in entry) return { state: 'malformed', notes: entry.problems }
  const { config, warnings } = entry
  if (config.isDisabled) return { state: 'disabled', notes: warnings }
  if (config.isTrusted) return { state: undefined, notes: warnings }
  return { state: 'untrusted', notes: [...warnings, toNotTrusted(entry.name)] }
}

/** Of single tools, and of what keeps none away. */
const OF_NO_LIST: readonly Code[] = ['unknown_key', 'file_within_reach', 'tool_left_out', 'tools_changed', 'list_churn']

/** Why its tools are not there, or not as it lists them now; undefined where they are. */
export function explainAbsence({ state, notes }: ServerView): string | undefined {
  const isServing = state === 'ready' || state === 'churning'
  const reason = notes.find(({ code }) => state === 'malformed' || !OF_NO_LIST.includes(code))?.message
  if (isServing || state === undefined) return reason
  return reason === undefined ? `it is ${state}` : `it is ${state}: ${reason}`
}

/** How many of its tools are in each state, without those that none is in. */
export function countTools(status: RunningStatus | undefined): ReadonlyMap<ToolStatus['state'], number> {
  const counts = new Map<ToolStatus['state'], number>()
  for (const { state } of status?.tools ?? []) counts.set(state, (counts.get(state) ?? 0) + 1)
  return counts
}

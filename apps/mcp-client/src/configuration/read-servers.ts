import { resolve } from 'node:path'
import { isRecord } from '@iii/protocol'
import { formatIssues, suggestWord } from '@iii/sdk'
import type { z } from 'zod'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { isPath } from './command-line.ts'
import { toEnvironmentSource } from './environment-entry.ts'
import { findExpansions } from './expansion.ts'
import { malformed, toShortLine } from './malformed.ts'
import type { EnvironmentPlan, ServerConfig, ServerEntry } from './server-config.ts'
import { TRUST, WrittenServer } from './server-entry.ts'
import { explainServerName } from './server-name.ts'
import { findUnknownKeys } from './unknown-keys.ts'
import { findWithinReach } from './within-reach.ts'

const MAX_SERVERS = 128
const MAX_PROBLEMS = 20
const MAX_NAME_BYTES = 64

export interface ReadServersOptions {
  /** Absolute: where the file lies, which its paths are relative to. */
  readonly folder: string
  /** The line of a place such as `servers.github.env`, where it is known. */
  readonly lineOf?: ((place: string) => number | undefined) | undefined
}

/** Reads `servers` of the file, each by itself. Never throws: what is wrong is said with its place, all of a server at once. */
export function readServers(raw: unknown, { folder, lineOf }: ReadServersOptions): readonly ServerEntry[] {
  return readAll(raw, folder).map((entry) => (lineOf === undefined ? entry : withLines(entry, lineOf)))
}

function readAll(raw: unknown, folder: string): readonly ServerEntry[] {
  if (raw === undefined || raw === null) return []
  if (!isRecord(raw)) {
    return [refuse('servers', raw, [malformed('servers', 'must be names of servers, each with its settings')])]
  }
  return Object.entries(raw).map(([name, entry], at) => {
    if (at >= MAX_SERVERS) {
      return refuse(name, entry, [
        malformed(`servers.${name}`, `is one too many: at most ${MAX_SERVERS} servers are run`),
      ])
    }
    return readServer(name, entry, folder)
  })
}

/** Says of each diagnostic in which line of the file its place is. */
function withLines(entry: ServerEntry, lineOf: (place: string) => number | undefined): ServerEntry {
  const add = (diagnostics: readonly Diagnostic[]) =>
    diagnostics.map((one) => {
      const line = one.subject === undefined ? undefined : lineOf(one.subject)
      return line === undefined ? one : { ...one, message: `line ${line}: ${one.message}` }
    })
  return 'config' in entry ? { ...entry, warnings: add(entry.warnings) } : { ...entry, problems: add(entry.problems) }
}

function readServer(name: string, written: unknown, folder: string): ServerEntry {
  const place = `servers.${name}`
  const misnamed = explainServerName(name)
  const named = misnamed === undefined ? [] : [malformed(place, misnamed)]
  if (!isRecord(written)) return refuse(name, written, [...named, malformed(place, explainShape(written))])
  const remote = findRemote(place, written)
  if (remote !== undefined) return refuse(name, written, [...named, remote])
  const entry = withoutEmpty(written)
  const expansions = findExpansions(place, entry)
  const unknown = findUnknownKeys(place, entry)
  const parsed = WrittenServer.safeParse(entry)
  const issues = parsed.success ? [] : parsed.error.issues.map((issue) => toDiagnostic(place, issue, entry))
  // A place where something is to be expanded is often wrong in another way too.
  const isSaid = ({ subject }: Diagnostic) => expansions.some((one) => one.subject === subject)
  const problems = [...named, ...unknown.problems, ...expansions, ...issues.filter((issue) => !isSaid(issue))]
  // A key that nobody knows is often the reason why another one is missing.
  if (!parsed.success || problems.length > 0) return refuse(name, written, [...unknown.warnings, ...problems])
  const config = toConfig(name, parsed.data, folder)
  return { name, config, warnings: [...unknown.warnings, ...findWithinReach(place, config, folder)] }
}

/** Whoever takes the trust away, or disables a server, is heard whatever else is wrong. */
function refuse(name: string, written: unknown, problems: readonly Diagnostic[]): ServerEntry {
  const keepsLastGood = isRecord(written) && written['trust'] === TRUST && (written['disabled'] ?? false) === false
  const more = problems.length - MAX_PROBLEMS
  const told = problems.slice(0, MAX_PROBLEMS)
  if (more > 0) told.push(malformed(`servers.${name}`, `and ${more} more problems`))
  return { name: toShortLine(name, MAX_NAME_BYTES), problems: told, keepsLastGood }
}

function explainShape(written: unknown): string {
  const form = 'must be settings, of which command is the least: { command: PROGRAM, args: [], trust: unsandboxed }'
  return written === null ? `is empty; it ${form}` : form
}

const LOCAL = 'only local servers over stdio are run for now: name the program that is the server (command)'

/** What other programs write for servers elsewhere. */
function findRemote(place: string, written: Readonly<Record<string, unknown>>): Diagnostic | undefined {
  const key = ['url', 'serverUrl', 'httpUrl'].find((name) => Object.hasOwn(written, name))
  if (key !== undefined) return malformed(`${place}.${key}`, LOCAL)
  const type = ['type', 'transport'].find((name) => Object.hasOwn(written, name) && isElsewhere(written[name]))
  return type === undefined ? undefined : malformed(`${place}.${type}`, LOCAL)
}

function isElsewhere(type: unknown): boolean {
  return typeof type === 'string' && /^(?:https?|sse|ws|websocket|streamable[-_]?http)$/i.test(type)
}

/** A key without a value is not set: whoever comments out all that stands below it means nothing else. Lists of tools say what they mean. */
function withoutEmpty(written: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(written).filter(([, value]) => value !== null)
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === 'tools' || !isRecord(value) ? value : dropNull(value)]),
  )
}

function dropNull(group: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(group).filter(([, value]) => value !== null))
}

function toDiagnostic(place: string, issue: z.core.$ZodIssue, entry: unknown): Diagnostic {
  const at = formatIssues([{ ...issue, message: '' }], place).slice(0, -2)
  const rule = formatIssues([{ ...issue, path: [] }], '').replace(/^payload: /, '')
  const given = valueAt(entry, issue.path)
  return malformed(at, `${rule}${suggestWord([{ ...issue, path: [] }], given)}${explainScalar(given, rule)}`)
}

/** Numbers and words that YAML takes for something else. */
function explainScalar(given: unknown, rule: string): string {
  const isBare = typeof given === 'number' || typeof given === 'boolean'
  return isBare && rule.startsWith('must be a string') ? ': put it in quotes' : ''
}

function valueAt(entry: unknown, path: readonly PropertyKey[]): unknown {
  let at = entry
  for (const key of path)
    at = typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined
  return at
}

function toConfig(name: string, written: z.output<typeof WrittenServer>, folder: string): ServerConfig {
  const { command, args, cwd, trust, disabled, env, tools, expose, tier, annotations, operations } = written
  const { timeouts, concurrency, limits } = written
  return {
    name,
    command: isPath(command) ? resolve(folder, command) : command,
    args,
    cwd: resolve(folder, cwd),
    isTrusted: trust === TRUST,
    isDisabled: disabled,
    environment: toPlan(env, folder),
    tools,
    expose,
    tier,
    annotations,
    timeouts: {
      startMs: timeouts.start_ms,
      callMs: timeouts.call_ms,
      listMs: timeouts.list_ms,
      stopMs: timeouts.stop_ms,
    },
    concurrency: { calls: concurrency.calls, waiting: concurrency.waiting, waitMs: concurrency.wait_ms },
    limits: { messageBytes: limits.message_bytes, resultBytes: limits.result_bytes, tools: limits.tools },
    changedTools: written.changed_tools,
    operations,
  }
}

function toPlan({ inherit, set }: z.output<typeof WrittenServer>['env'], folder: string): EnvironmentPlan {
  return { inherit, set: new Map([...set].map(([name, source]) => [name, toEnvironmentSource(source, folder)])) }
}

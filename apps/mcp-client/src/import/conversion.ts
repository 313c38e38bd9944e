import { isRecord } from '@iii/protocol'
import { readServers } from '../configuration/read-servers.ts'
import { explainServerName, toServerName } from '../configuration/server-name.ts'
import type { ForeignFile } from './foreign-file.ts'
import { findSecretArgument } from './secret-arguments.ts'
import { convertVariable, type Variable } from './variable.ts'

/** A server of another program's file as an entry of ours. */
export interface ImportedServer {
  readonly name: string
  /** As our file has it; never with `trust`. */
  readonly entry: Readonly<Record<string, unknown>>
  /** What a person has to know of it. */
  readonly notes: readonly string[]
  /** The same of single variables, by their names. */
  readonly variables: ReadonlyMap<string, Variable>
}

/** A server that cannot be taken over, and why. */
export interface LeftOutServer {
  readonly name: string
  readonly reasons: readonly string[]
}

export interface Import {
  readonly servers: readonly ImportedServer[]
  readonly leftOut: readonly LeftOutServer[]
}

/** Turns every server of a file into an entry of ours, as far as it is one. */
export function convertServers({ servers, inputs }: ForeignFile): Import {
  const taken = new Set<string>()
  const kept = new Set(servers.map(([name]) => name).filter(isServerName))
  const converted = servers.map(([original, written, project]): ImportedServer | LeftOutServer => {
    const name = findFreeName(original, { taken, kept })
    const found = convertServer(name, written, inputs)
    if ('reasons' in found) return { name: original, reasons: found.reasons }
    taken.add(name)
    const renamed = name === original ? [] : [`'${original}' in the file it comes from`]
    const placed = project === undefined ? [] : [`of the project ${project}`]
    return { ...found, notes: [...renamed, ...placed, ...found.notes] }
  })
  return {
    servers: converted.flatMap((one) => ('entry' in one ? [one] : [])),
    leftOut: converted.flatMap((one) => ('reasons' in one ? [one] : [])),
  }
}

const MAX_NAME_LENGTH = 32

const isServerName = (name: string) => explainServerName(name) === undefined

/** @param names `kept`: those that servers of the file have already, and nobody else gets */
function findFreeName(original: string, names: { taken: ReadonlySet<string>; kept: ReadonlySet<string> }): string {
  const { taken, kept } = names
  if (kept.has(original) && !taken.has(original)) return original
  const name = isServerName(original) ? original : toServerName(original)
  for (let number = 2, next = name; ; number++) {
    if (!taken.has(next) && !kept.has(next)) return next
    const ending = `-${number}`
    next = `${name.slice(0, MAX_NAME_LENGTH - ending.length)}${ending}`
  }
}

/** What other programs write that means the same here, or is dealt with. */
const UNDERSTOOD = ['type', 'transport', 'command', 'args', 'cwd', 'env', 'disabled', 'enabled', 'trust']
/** What they call the tools that there are to be, and those that there are not. */
const ALLOWING = ['tools', 'includeTools', 'enabledTools']
const DENYING = ['excludeTools', 'disabledTools']
const REMOTE = ['url', 'serverUrl', 'httpUrl']

function convertServer(
  name: string,
  written: unknown,
  inputs: ReadonlyMap<string, string>,
): ImportedServer | { readonly reasons: readonly string[] } {
  if (!isRecord(written)) return { reasons: ['it is no object'] }
  const { command, args, cwd, env } = written
  const secret = findSecretArgument(args)
  if (secret !== undefined) return { reasons: [secret] }
  const strange = [...ALLOWING, ...DENYING].filter((key) => !isNames(written[key]))
  if (strange.length > 0) return { reasons: strange.map((key) => `${key}: must be a list of names of tools`) }
  const variables = convertVariables(env, inputs)
  const entry = {
    ...pick(written, [...REMOTE, 'type', 'transport']),
    command,
    ...(args === undefined ? {} : { args }),
    ...(cwd === undefined || cwd === null ? {} : { cwd }),
    ...(isDisabled(written) ? { disabled: true } : {}),
    ...convertTools(written),
    ...(variables.size === 0 ? {} : { env: { set: toSet(variables) } }),
  }
  // The rules for a file are those of the worker that reads it.
  const [read] = readServers({ [name]: entry }, { folder: '/' })
  if (read === undefined || 'problems' in read) return { reasons: (read?.problems ?? []).map(({ message }) => message) }
  const dropped = Object.keys(written).filter((key) => ![...UNDERSTOOD, ...ALLOWING, ...DENYING].includes(key))
  const notes = dropped.length === 0 ? [] : [`not taken over: ${dropped.join(', ')}`]
  const { type: _, transport: __, ...kept } = entry as Record<string, unknown>
  return { name, entry: kept, notes, variables }
}

function isDisabled({ disabled, enabled }: Readonly<Record<string, unknown>>): boolean {
  return disabled === true || enabled === false
}

/** Whoever kept a tool from agents means it here too: what is no list of names keeps the server out. */
function isNames(written: unknown): boolean {
  return [written ?? []].flat().every((name) => typeof name === 'string')
}

function convertTools(written: Readonly<Record<string, unknown>>): { tools?: object } {
  const read = (keys: readonly string[]) => {
    const lists = keys.map((key) => written[key] ?? undefined).filter((list) => list !== undefined)
    return lists.length === 0 ? undefined : lists.flat()
  }
  const [allow, deny = []] = [read(ALLOWING), read(DENYING)]
  const tools = { ...(allow === undefined ? {} : { allow }), ...(deny.length === 0 ? {} : { deny }) }
  return Object.keys(tools).length === 0 ? {} : { tools }
}

function convertVariables(env: unknown, inputs: ReadonlyMap<string, string>): ReadonlyMap<string, Variable> {
  if (!isRecord(env)) return new Map()
  return new Map(Object.entries(env).map(([name, value]) => [name, convertVariable(name, value, inputs)]))
}

function toSet(variables: ReadonlyMap<string, Variable>): Record<string, unknown> {
  return Object.fromEntries([...variables].map(([name, { source }]) => [name, source]))
}

function pick(written: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(written, key) ? [[key, written[key]]] : [])))
}

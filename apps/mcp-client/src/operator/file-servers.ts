import { dirname } from 'node:path'
import { findNearest } from '@iii/sdk'
import { CommandFailure, EXIT, requireUsableFile } from '@iii/sdk/cli'
import { readServers } from '../configuration/read-servers.ts'
import type { GoodEntry, ServerEntry } from '../configuration/server-config.ts'
import type { ClientSession } from './session.ts'

/** The name of a server has neither dot nor slash. */
const LOOKS_LIKE_FILE = /^[\w./~@+-]*[./][\w./~@+-]*$/

/**
 * The servers of the file that the command line names.
 *
 * @throws CommandFailure `usage` without a file, and for one that a worker could not use
 */
export function readFileServers({
  settings,
  operands,
}: Pick<ClientSession, 'settings' | 'operands'>): readonly ServerEntry[] {
  const { file, value, lineOf } = settings
  if (file === undefined) {
    const meant = operands.find((word) => LOOKS_LIKE_FILE.test(word)) ?? 'FILE'
    throw new CommandFailure(EXIT.usage, `no configuration file is named: say --config ${meant}, or set III_CONFIG`)
  }
  requireUsableFile(settings)
  return readServers(value.servers, { folder: dirname(file), lineOf })
}

/** @throws CommandFailure `missing`, with the name that was probably meant */
export function requireServer(entries: readonly ServerEntry[], name: string): ServerEntry {
  const entry = entries.find((one) => one.name === name)
  if (entry !== undefined) return entry
  const names = entries.map((one) => one.name)
  const nearest = findNearest(name, names)
  const there = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
  const hint = nearest === undefined ? there : `did you mean ${nearest}?`
  throw new CommandFailure(EXIT.missing, `no server '${name}' is in the configuration file; ${hint}`)
}

/** @throws CommandFailure `missing`; `failed` for one whose entry is malformed */
export function requireGood(entries: readonly ServerEntry[], name: string): GoodEntry {
  const entry = requireServer(entries, name)
  if ('config' in entry) return entry
  throw new CommandFailure(EXIT.failed, entry.problems.map(({ message }) => message).join('\n'))
}

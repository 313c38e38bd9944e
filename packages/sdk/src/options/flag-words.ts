import { resolve } from 'node:path'
import { toEngineUrl, toPublicUrl } from '../engine/url.ts'
import { COMMON_OPTIONS, type CommandLine } from './command-line.ts'
import { type AnyOptionTable, flagsOf, type OptionTable } from './option-table.ts'

/**
 * The flags by which another process would be told what this one was, by flags and environment alike.
 *
 * @param table the options of the program that is told
 * @example
 * toFlagWords(said, bridgeOptions) // ['--url', 'ws://10.0.0.5:49134', '--tier', 'user']
 */
export function toFlagWords<T>(said: CommandLine, table: OptionTable<T>): string[] {
  const { url, config, namespace, debug, own } = said
  const words: string[] = []
  if (url !== toEngineUrl(COMMON_OPTIONS.url.default)) words.push('--url', url.replace(/(:\/\/[^/]*)\/$/, '$1'))
  if (config !== undefined) words.push('--config', resolve(config))
  if (namespace !== undefined) words.push('--namespace', namespace)
  if (debug) words.push('--debug')
  for (const [key, spec] of Object.entries(table as unknown as AnyOptionTable)) {
    const given = own.get(key)
    const [flag] = flagsOf(spec)
    if (given !== undefined && flag !== undefined) words.push(...toWords(flag, given.value))
  }
  return words
}

function toWords(flag: string, value: unknown): string[] {
  if (typeof value === 'boolean') return [value ? flag : `${flag}=false`]
  return [flag, Array.isArray(value) ? value.join(',') : String(value)]
}

/**
 * A command that somebody can copy as it stands: with what this process was told. A password is not printed; who copies it has the variable.
 *
 * @example
 * formatCommand('iii-mcp explain', said, bridgeOptions) // 'iii-mcp explain --url ws://10.0.0.5:49134 --tier user'
 */
export function formatCommand<T>(command: string, said: CommandLine, table: OptionTable<T>): string {
  const isPublic = toPublicUrl(said.url).replace(/\/$/, '') === said.url.replace(/\/$/, '')
  const words = toFlagWords({ ...said, debug: false }, table).map((word, at, all) =>
    all[at - 1] === '--url' && !isPublic ? '"$III_URL"' : toShellWord(word),
  )
  return [command, ...words].join(' ')
}

/**
 * A word of a command that somebody copies, as a shell reads it: it obeys nothing that the word says.
 *
 * @example
 * toShellWord('a b') // "'a b'"
 */
export function toShellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

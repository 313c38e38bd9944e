import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../hostile-server/main.mjs', import.meta.url))

/** An entry under `servers:` of the configuration. */
export type EntryFields = Readonly<Record<string, unknown>>

/** What the fixture server wrote down of a process that it was, or of a message that it got. */
export interface FixtureNote {
  readonly what: 'start' | 'received' | 'grandchild' | 'gave up' | 'reply'
  readonly mode: string
  readonly pid: number
  readonly ppid?: number
  readonly grandchild?: number
  readonly variables?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly line?: string
  readonly reply?: { readonly id: string; readonly error?: { readonly code: number } }
}

/** Short enough for a test to wait for. */
const QUICK = { start_ms: 1500, call_ms: 5000, list_ms: 3000, stop_ms: 150 }

/** The entry of a server in one of the modes of `hostile-server`. @param options of that mode */
export function fixtureServer(
  folder: string,
  mode: string,
  options: Readonly<Record<string, string | number>> = {},
  more: EntryFields = {},
): EntryFields {
  const words = Object.entries(options).map(([key, value]) => `${key}=${value}`)
  const timeouts = { ...QUICK, ...(more['timeouts'] as object | undefined) }
  const args = [MAIN, mode, `journal=${toJournal(folder)}`, ...words]
  return { command: process.execPath, args, trust: 'unsandboxed', ...more, timeouts }
}

function toJournal(folder: string): string {
  return join(folder, 'journal.jsonl')
}

/** What the fixture servers of a folder have written down, the oldest first. */
export function readJournal(folder: string): readonly FixtureNote[] {
  const file = toJournal(folder)
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  // The last line may be half written.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as FixtureNote)
}

/** The processes that were started for servers: they themselves, what holds their group, and what they have started. */
export function readPids(folder: string): readonly number[] {
  const pids = readJournal(folder).flatMap(({ pid, ppid = 0, grandchild = 0 }) => [pid, ppid, grandchild])
  return [...new Set(pids)].filter((pid) => pid > 1)
}

/** The messages that the servers of a mode have got of a method. */
export function readReceived(folder: string, mode: string, method: string): readonly FixtureNote[] {
  return readJournal(folder).filter(
    (note) => note.what === 'received' && note.mode === mode && note.line?.includes(`"method":"${method}"`),
  )
}

import { readFileSync, type Stats, statSync, unwatchFile, watchFile } from 'node:fs'
import { resolve } from 'node:path'
import type { Logger } from '../log.ts'
import { MAX_CONFIG_BYTES, readConfigText } from './config-text.ts'
import type { AnyOptionTable, OptionTable } from './option-table.ts'

/** What an app was told, from all places together: flag over environment over file over default, key by key. */
export interface Settings<T> {
  readonly value: Readonly<T>
  /** Why nothing may be served: the file was malformed at the start. Line and reason; undefined once it is mended. */
  readonly locked: string | undefined
  /** Tells when `value` or `locked` has changed, because the file did. Returns how to stop listening. */
  onChange(listener: () => void): () => void
}

export interface SettingsSources {
  /** From flags and environment, by the option's name. They always win. */
  fixed: ReadonlyMap<string, unknown>
  /** The YAML file; undefined for none. */
  file: string | undefined
}

export interface WatchedSettings<T> extends Settings<T> {
  stop(): void
}

type FileReading = { text: string } | { problem: string } | 'missing'

const WATCH_EVERY_MS = 1000
/** A file that has just changed may be half written, and half a file can say something else; so it rests this long first. */
const SETTLE_MS = 100

/** Reads the file, if there is one, and goes on watching it without keeping the process alive. */
export function startSettings<T>(
  optionTable: OptionTable<T>,
  { fixed, file }: SettingsSources,
  log: Logger,
  watchEveryMs = WATCH_EVERY_MS,
): WatchedSettings<T> {
  const table = optionTable as unknown as AnyOptionTable
  const listeners = new Set<() => void>()
  let fromFile: ReadonlyMap<string, unknown> = new Map()
  let locked: string | undefined
  let hasGoodSettings = file === undefined
  let value = combine()

  function combine(): T {
    const entries = Object.entries(table).map(([name, spec]) => {
      if (fixed.has(name)) return [name, fixed.get(name)]
      return [name, fromFile.has(name) ? fromFile.get(name) : spec.default]
    })
    return Object.freeze(Object.fromEntries(entries)) as T
  }

  function refuse(path: string, problem: string): void {
    const text = `${path}: ${problem}`
    if (hasGoodSettings) {
      log.error({ file: path, reason: problem }, 'the configuration file is malformed; the last good settings stay')
      return
    }
    locked = text
    log.error(
      { file: path, reason: problem },
      'the configuration file is malformed; nothing is served until it is mended',
    )
  }

  function accept(path: string, text: string): void {
    const { values, problem, warnings } = readConfigText(text, table)
    for (const warning of warnings) log.warn({ file: path }, `configuration file: ${warning}`)
    if (problem !== undefined) {
      refuse(path, problem)
      return
    }
    fromFile = values
    locked = undefined
    hasGoodSettings = true
    value = combine()
  }

  function load(path: string): void {
    const before = JSON.stringify([value, locked])
    const reading = readFile(path)
    if (reading === 'missing') {
      const stay = hasGoodSettings ? 'the last good settings stay' : 'the defaults are used'
      log.warn({ file: path }, `the configuration file does not exist; ${stay}`)
      hasGoodSettings = true
      locked = undefined
    } else if ('problem' in reading) {
      refuse(path, reading.problem)
    } else {
      accept(path, reading.text)
    }
    if (JSON.stringify([value, locked]) !== before) for (const listener of [...listeners]) listener()
  }

  const stop = file === undefined ? () => undefined : watch(resolve(file), watchEveryMs, load)
  return {
    get value() {
      return value
    },
    get locked() {
      return locked
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    stop,
  }
}

function watch(path: string, everyMs: number, load: (path: string) => void): () => void {
  load(path)
  let settling: NodeJS.Timeout | undefined
  const onChange = (now: Stats, before: Stats) => {
    // A missing file is reported once although nothing happened to it.
    if (now.mtimeMs === 0 && before.mtimeMs === 0) return
    clearTimeout(settling)
    settling = setTimeout(load, SETTLE_MS, path).unref()
  }
  watchFile(path, { interval: everyMs, persistent: false }, onChange)
  return () => {
    clearTimeout(settling)
    unwatchFile(path, onChange)
  }
}

function readFile(path: string): FileReading {
  try {
    const { size } = statSync(path)
    if (size > MAX_CONFIG_BYTES) return { problem: `it has ${size} bytes; at most ${MAX_CONFIG_BYTES} are read` }
    return { text: readFileSync(path, 'utf8') }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? 'missing' : { problem: `it cannot be read: ${code ?? message}` }
  }
}

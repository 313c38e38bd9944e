import { type DestinationStream, destination, pino } from 'pino'
import { toLogLine } from './terminal/log-line.ts'
import { toShownJson } from './terminal/shown.ts'

/** How much is logged: each level includes those after it. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** What the SDK needs of a logger; every pino logger is one. */
export interface Logger {
  debug(fields: object, message?: string): void
  debug(message: string): void
  info(fields: object, message?: string): void
  info(message: string): void
  warn(fields: object, message?: string): void
  warn(message: string): void
  error(fields: object, message?: string): void
  error(message: string): void
  child(fields: Record<string, unknown>): Logger
}

/**
 * Creates a logger on stderr: readable lines on a terminal, JSON everywhere else. Nothing in this package ever writes on stdout, which
 * belongs to MCP when a worker speaks it over stdio.
 *
 * @example
 * createLog({ name: 'tea' }).warn({ cups: 2 }, 'the kettle is empty') // 14:03:07 warn  tea: the kettle is empty  cups=2
 */
export function createLog(options: { name: string; level?: LogLevel; format?: 'text' | 'json' }): Logger {
  const { name, level = 'info', format = process.stderr.isTTY ? 'text' : 'json' } = options
  // Reasons of strangers are in these lines, and a terminal may be at their end.
  const toJson = (json: string) => (HARMLESS.test(json) ? json : toShownJson(json))
  const streamWrite = format === 'json' ? toJson : (json: string) => toLogLine(json, hasColors())
  return pino(
    { name, level, base: { pid: process.pid }, hooks: { streamWrite } },
    toLines(destination({ dest: 2, sync: true })),
  )
}

/** What does nothing to a terminal, as nearly every line. */
const HARMLESS = /^[\x20-\x7e\n]*$/

/** Where lines go, as they are written: with the level of the last one. */
interface Lines extends DestinationStream {
  readonly [WITH_LEVEL]: true
  lastLevel?: number
}

const WITH_LEVEL = Symbol.for('pino.metadata')
/** From here on a line says that something is wrong. */
const URGENT = 40
/** What comes so soon after another line waits for what else does. */
const TOGETHER_MS = 5
const MAX_LENGTH = 64 * 1024

/** What waits to be written, also when the process ends over an error. */
const unwritten = new Set<() => void>()

/**
 * Writes the lines of a busy process together, since a write costs as much as a call: one that comes alone goes out at once, as does
 * one that says that something is wrong, with all before it. Nothing is left when the process ends by itself or over an error.
 */
function toLines(out: DestinationStream): Lines {
  let waiting = ''
  let pause: NodeJS.Timeout | undefined

  function write(): void {
    const text = waiting
    waiting = ''
    unwritten.delete(write)
    out.write(text)
  }

  function onPauseOver(): void {
    pause = undefined
    if (waiting === '') return
    write()
    startPause()
  }

  function startPause(): void {
    pause ??= setTimeout(onPauseOver, TOGETHER_MS).unref()
  }

  return {
    [WITH_LEVEL]: true,
    write(line) {
      waiting += line
      if (pause === undefined || (this.lastLevel ?? URGENT) >= URGENT || waiting.length > MAX_LENGTH) write()
      else unwritten.add(write)
      startPause()
    },
  }
}

process.on('exit', () => {
  for (const write of unwritten) write()
})

function hasColors(): boolean {
  return process.stderr.isTTY && process.stderr.hasColors()
}

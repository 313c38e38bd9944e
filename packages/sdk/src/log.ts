import { destination, pino } from 'pino'
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
  const streamWrite = format === 'json' ? toShownJson : (json: string) => toLogLine(json, hasColors())
  return pino({ name, level, base: { pid: process.pid }, hooks: { streamWrite } }, destination({ dest: 2, sync: true }))
}

function hasColors(): boolean {
  return process.stderr.isTTY && process.stderr.hasColors()
}

import { destination, pino } from 'pino'
import { toShownJson } from './commands/shown.ts'

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
 * Creates a logger that writes JSON lines on stderr. Nothing in this package ever writes on stdout, which belongs to
 * MCP when a worker speaks it over stdio.
 */
export function createLog(options: { name: string; level?: LogLevel }): Logger {
  const level = options.level ?? 'info'
  // Reasons of strangers are in these lines, and a terminal may be at their end.
  const hooks = { streamWrite: toShownJson }
  return pino({ name: options.name, level, base: { pid: process.pid }, hooks }, destination({ dest: 2, sync: true }))
}

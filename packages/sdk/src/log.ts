import { cutUtf8, Fault, isRecord } from '@iii/protocol'
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'
import { requireFields, requireTexts } from './suggestions/mistyped.ts'
import { toLogLine } from './terminal/log-line.ts'
import { openStderr } from './terminal/patient-stderr.ts'
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
 * @throws Fault `invalid_input` for a level or a form of lines that there is not
 *
 * @example
 * createLog({ name: 'tea' }).warn({ cups: 2 }, 'the kettle is empty') // 14:03:07 warn  tea: the kettle is empty  cups=2
 */
export function createLog(options: { name: string; level?: LogLevel; format?: 'text' | 'json' }): Logger {
  requireOptions(options)
  const { name, level = 'info', format = process.stderr.isTTY ? 'text' : 'json' } = options
  // Reasons of strangers are in these lines, and a terminal may be at their end.
  const toJson = (json: string) => (HARMLESS.test(json) ? json : toShownJson(json))
  const toLine = format === 'json' ? toJson : (json: string) => toLogLine(json, hasColors())
  const streamWrite = (json: string) => toLine(isLong(json) ? cutTexts(json) : json)
  const lines = toLines(openStderr())
  const toHead = createHeads()
  const toText = (logger: PinoLogger, { levelNumber, time }: Moment, fields: string, message: unknown) => {
    const said = typeof message === 'string' ? `,"msg":${JSON.stringify(message)}` : ''
    return streamWrite(`{"level":${levelNumber},"time":${time},${toHead(logger)}${fields}${said}}\n`)
  }

  /** A line of plain fields, as nearly all are, is made in one step of V8's: pino goes from member to member, which takes twice as long. */
  function logMethod(this: PinoLogger, args: readonly unknown[], method: unknown, levelNumber: number): void {
    const text = args.length === 2 ? toPlainFields(args[0]) : undefined
    if (text === undefined) {
      Reflect.apply(method as () => void, this, args)
      return
    }
    lines.lastLevel = levelNumber
    lines.write(toText(this, { levelNumber, time: Date.now() }, text, args[1]))
  }

  function writeLater(this: PinoLogger, toFields: () => object, message: string): void {
    if (!this.isLevelEnabled('info')) return
    const moment = { levelNumber: INFO, time: Date.now() }
    lines.writeLater(() => toText(this, moment, toLaterFields(toFields), message))
  }

  const pinoOptions = { name, level, base: { pid: process.pid }, hooks: { logMethod, streamWrite } }
  // Not to be copied: what is made of a logger by a spread has its own way to say things.
  return Object.defineProperty(pino(pinoOptions, lines), LATER, { value: writeLater })
}

function requireOptions(options: { name: string; level?: string; format?: string }): void {
  requireFields('createLog', options)
  requireTexts('createLog', options, ['name'])
  const { level = 'info', format = 'json' } = options
  if (level !== 'silent' && !Object.hasOwn(pino.levels.values, level)) {
    throw new Fault('invalid_input', `createLog takes debug, info, warn, error or silent as level, not '${level}'`)
  }
  if (format === 'text' || format === 'json') return
  throw new Fault('invalid_input', `createLog takes text or json as format, not '${format}'`)
}

/** Nobody is there any more who could be told that something is wrong with them. */
function toLaterFields(toFields: () => object): string {
  try {
    return toPlainFields(toFields()) ?? ''
  } catch {
    return ''
  }
}

/** When a line was said, and how urgent it is. */
interface Moment {
  readonly levelNumber: number
  readonly time: number
}

const LATER = Symbol('later')
const INFO = 30

/** A logger that may be of {@link createLog}. */
interface MaybeOurs extends Pick<Logger, 'info'> {
  [LATER]?: (this: this, toFields: () => object, message: string) => void
}

/**
 * Says a line at `info` that each of many requests pays for: its fields are made when it is written, within 25 ms, with others of its kind
 * and in its place among all lines. Another logger than one of {@link createLog} is told at once.
 *
 * @param toFields plain ones, which must be the same later; a line whose fields are not plain, or cannot be made, has none
 */
export function logLater(log: MaybeOurs, toFields: () => object, message: string): void {
  if (log[LATER] === undefined) log.info(toFields(), message)
  else log[LATER](toFields, message)
}

/** What stands in each line of a logger. */
function createHeads(): (logger: PinoLogger) => string {
  const heads = new WeakMap<PinoLogger, string>()
  return (logger) => {
    const known = heads.get(logger)
    if (known !== undefined) return known
    const head = JSON.stringify({ pid: process.pid, ...logger.bindings() }).slice(1, -1)
    heads.set(logger, head)
    return head
  }
}

/** @returns undefined for what pino knows better: errors, requests and what JSON cannot hold */
function toPlainFields(fields: unknown): string | undefined {
  if (!isRecord(fields) || Object.getPrototypeOf(fields) !== Object.prototype) return undefined
  if ('err' in fields || 'socket' in fields || 'toJSON' in fields) return undefined
  try {
    const json = JSON.stringify(fields)
    return json === '{}' ? '' : `,${json.slice(1, -1)}`
  } catch {
    return undefined
  }
}

/** What a text of a line takes at most: reasons and ids of strangers may be of any size, and come again and again. */
const MAX_TEXT_BYTES = 8192

/** Nearly no line has to be measured: no unit of a text takes more than three bytes. */
function isLong(line: string): boolean {
  return line.length * 3 > MAX_TEXT_BYTES && Buffer.byteLength(line) > MAX_TEXT_BYTES
}

function cutTexts(line: string): string {
  const cut = (_: string, value: unknown) => (typeof value === 'string' ? cutUtf8(value, MAX_TEXT_BYTES) : value)
  return `${JSON.stringify(JSON.parse(line), cut)}\n`
}

/** What does nothing to a terminal, as nearly every line. */
const HARMLESS = /^[\x20-\x7e\n]*$/

/** Where lines go, as they are written: with the level of the last one. */
interface Lines extends DestinationStream {
  readonly [WITH_LEVEL]: true
  lastLevel?: number
  /** Takes a line that is made when it is written. */
  writeLater(line: () => string): void
}

const WITH_LEVEL = Symbol.for('pino.metadata')
/** From here on a line says that something is wrong. */
const URGENT = 40
/** What comes so soon after another line waits for what else does. */
const TOGETHER_MS = 25
const MAX_LENGTH = 64 * 1024
/**
 * So many lines wait to be made at most: what they are made of lives on until then, and with more of them that would be long enough for V8
 * to take it for what stays.
 */
const MAX_LATER = 8

/** What waits to be written, also when the process ends over an error. */
const unwritten = new Set<() => void>()

/**
 * Writes the lines of a busy process together, since a write costs as much as a call: one that comes alone goes out at once, as does
 * one that says that something is wrong, with all before it. Nothing is left when the process ends by itself or over an error.
 */
function toLines(out: DestinationStream): Lines {
  let waiting = ''
  let later: (() => string)[] = []
  let pause: NodeJS.Timeout | undefined

  /** What was said before another line stands before it. */
  function makeLater(): void {
    const lines = later
    later = []
    for (const line of lines) waiting += line()
  }

  function write(): void {
    makeLater()
    const text = waiting
    waiting = ''
    unwritten.delete(write)
    out.write(text)
  }

  function onPauseOver(): void {
    pause = undefined
    if (waiting === '' && later.length === 0) return
    write()
    startPause()
  }

  function startPause(): void {
    pause ??= setTimeout(onPauseOver, TOGETHER_MS).unref()
  }

  return {
    [WITH_LEVEL]: true,
    write(line) {
      if (later.length > 0) makeLater()
      waiting += line
      if (pause === undefined || (this.lastLevel ?? URGENT) >= URGENT || waiting.length > MAX_LENGTH) write()
      else unwritten.add(write)
      startPause()
    },
    writeLater(line) {
      later.push(line)
      if (later.length >= MAX_LATER) makeLater()
      if (waiting.length > MAX_LENGTH) write()
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

import { styleText } from 'node:util'
import { toShown, toShownText } from './shown.ts'

const LEVELS: Readonly<Record<number, readonly [name: string, color: Parameters<typeof styleText>[0]]>> = {
  20: ['debug', 'dim'],
  30: ['info ', 'green'],
  40: ['warn ', 'yellow'],
  50: ['error', 'red'],
}

/** A line of a log as a person reads it, of the JSON that programs read: `14:03:07 warn  tea: the kettle is empty  cups=2`. */
export function toLogLine(json: string, hasColors: boolean): string {
  const { level, time, name, msg, pid, err, ...fields } = JSON.parse(json) as Record<string, unknown>
  const [word, color] = LEVELS[Number(level)] ?? [String(level), 'dim']
  const paint = (hue: typeof color, text: string) =>
    hasColors ? styleText(hue, text, { validateStream: false }) : text
  const rest = Object.entries(fields).map(([key, value]) => `  ${toShown(key)}=${toWord(value)}`)
  const stack = err === undefined ? '' : `\n${indent(toStack(err))}`
  const said = `${toShown(String(name ?? ''))}: ${toShownText(String(msg ?? ''))}`
  return `${paint('dim', toClock(time))} ${paint(color, word)} ${said}${rest.length > 0 ? paint('dim', rest.join('')) : ''}${stack}\n`
}

/** The time of day here: who watches a terminal knows the date. */
function toClock(time: unknown): string {
  return new Date(Number(time)).toTimeString().slice(0, 8)
}

function toWord(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[^\s"=]+$/.test(value)
  return toShown(isPlain ? value : (JSON.stringify(value) ?? ''))
}

function toStack(error: unknown): string {
  if (typeof error !== 'object' || error === null) return toShownText(String(error))
  const { stack, message } = error as { stack?: unknown; message?: unknown }
  return toShownText(String(stack ?? message ?? JSON.stringify(error)))
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ')
}

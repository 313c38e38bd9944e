import type { Node } from 'jsonc-parser'
import { findComma } from './remove-property.ts'

/**
 * Puts a property behind the others of an object, in the indentation and with the line ends that are there. Not a character of the rest
 * changes but for a comma: a comment stays behind what it was written for.
 *
 * @param object which is in `text`
 */
export function insertProperty(text: string, object: Node, key: string, value: unknown): string {
  const close = object.offset + object.length - 1
  const last = object.children?.at(-1)
  const style = findStyle(text, object)
  const property = `${JSON.stringify(key)}: ${formatValue(value, style.isFlat ? undefined : style)}`
  const from = last === undefined ? object.offset + 1 : last.offset + last.length
  const trivia = text.slice(from, close).trimEnd()
  // Who ends every line with a comma goes on to do so.
  const hasComma = last !== undefined && findComma(text, from) !== undefined
  const comma = last === undefined || hasComma ? '' : ','
  const before = style.isFlat ? ' ' : style.eol + style.indent
  const rest = text.slice(from + trivia.length)
  // A bracket that stood behind the last one goes to a line of its own.
  const isOpen = style.isFlat || rest.slice(0, close - from - trivia.length).includes('\n')
  const after = isOpen ? rest : style.eol + style.outer + text.slice(close)
  return text.slice(0, from) + comma + trivia + before + property + (hasComma ? ',' : '') + after
}

/** Puts another value in the place of one, on one line where that one was. */
export function replaceValue(text: string, node: Node, value: unknown): string {
  const end = node.offset + node.length
  const isFlat = !text.slice(node.offset, end).includes('\n')
  const { eol, unit } = findStyle(text, node)
  const indent = lineIndent(text, node.offset)
  return text.slice(0, node.offset) + formatValue(value, isFlat ? undefined : { eol, unit, indent }) + text.slice(end)
}

/** How new lines have to look. */
interface Style {
  readonly eol: string
  /** One level. */
  readonly unit: string
  /** Of the properties of the object. */
  readonly indent: string
}

/** @returns also the indentation of the closing bracket, and whether all of it stands on one line */
function findStyle(text: string, object: Node): Style & { outer: string; isFlat: boolean } {
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
  const outer = lineIndent(text, object.offset)
  const first = object.children?.[0]
  const isAlone = first !== undefined && /^[ \t]*$/.test(lineBefore(text, first.offset))
  return {
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    unit,
    outer,
    indent: isAlone ? lineIndent(text, first.offset) : outer + unit,
    isFlat: first !== undefined && !text.slice(object.offset, object.offset + object.length).includes('\n'),
  }
}

/** @param style undefined for one line */
function formatValue(value: unknown, style: Style | undefined): string {
  if (style === undefined) return formatFlat(value)
  return JSON.stringify(value, null, style.unit).replaceAll('\n', style.eol + style.indent)
}

function formatFlat(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatFlat).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${formatFlat(inner)}`)
    .join(', ')} }`
}

function lineBefore(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
}

function lineIndent(text: string, offset: number): string {
  return /^[ \t]*/.exec(lineBefore(text, offset))?.[0] ?? ''
}

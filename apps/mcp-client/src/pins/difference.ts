import { toCanonicalJson } from '@iii/protocol/canonical-json'
import { MAX_SCHEMA_BYTES } from '@iii/protocol/json-schema'
import { toShown } from '@iii/sdk/cli'
import { toPinned } from '../catalog/read-tools.ts'
import type { ReceivedTool } from '../catalog/received-tool.ts'
import { type PendingTool, type Pin, toParts } from './pin.ts'

/** How a tool differs from what was approved, for people: nothing in it is hidden, and nothing moves a terminal. */
export interface PinDifference {
  /** By the name that the server gives it. */
  readonly tool: string
  readonly kind: PendingTool['kind']
  /** `+` for what is there now, `-` for what was approved, `~` for a part that was too large to be kept, and is another one as a whole. */
  readonly lines: readonly string[]
}

/** All that a schema may have, which a model reads: whoever approves has seen it. A tool with more is registered nowhere. */
const MAX_SHOWN = MAX_SCHEMA_BYTES
/** Two schemas, before and after, of which every second character is a value of its own. */
const MAX_LINES = 2 * MAX_SCHEMA_BYTES
/** On both sides of what is different in a long text. */
const CONTEXT = 40

/** @param pin undefined for a tool that nobody has approved */
export function describePinDifference(
  pin: Pin | undefined,
  { name, definition }: ReceivedTool,
  kind: PendingTool['kind'],
): PinDifference {
  const now = toPinned(definition)
  const lines =
    pin !== undefined && pin.definition === undefined ? compareParts(pin, now) : compare(pin?.definition, now)
  const more = lines.length - MAX_LINES
  const shown = more <= 0 ? lines : [...lines.slice(0, MAX_LINES), `… and ${more} more`]
  return { tool: toPlain(name), kind, lines: shown }
}

function compareParts({ parts = {} }: Pin, now: Readonly<Record<string, unknown>>): string[] {
  const current = toParts(now)
  const keys = [...new Set([...Object.keys(parts), ...Object.keys(current)])]
  return keys
    .filter((key) => parts[key] !== current[key])
    .flatMap((key) => [`~ ${toPlain(key)}`, ...compare({}, pick(now, key))])
}

function pick(definition: Readonly<Record<string, unknown>>, key: string): object {
  return Object.hasOwn(definition, key) ? { [key]: definition[key] } : {}
}

function compare(before: unknown, now: unknown): string[] {
  const old = toLeaves(before)
  const current = toLeaves(now)
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((path) => {
    const [was, is] = [old.get(path), current.get(path)]
    if (was === is) return []
    const [from, to] = was !== undefined && is !== undefined ? toMiddles(was, is) : [was && cut(was), is && cut(is)]
    return [...(from === undefined ? [] : [`- ${path}: ${from}`]), ...(to === undefined ? [] : [`+ ${path}: ${to}`])]
  })
}

/** What a definition says, by where it says it: the values as JSON. */
function toLeaves(definition: unknown): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>()
  const enter = (value: unknown, path: readonly string[]) => {
    const parts = toEntries(value)
    if (parts.length === 0) leaves.set(path.join('.'), toPlain(toCanonicalJson(value)))
    for (const [key, part] of parts) enter(part, [...path, toPlain(key)])
  }
  // The name is what both have in common.
  for (const [key, part] of toEntries(definition)) if (key !== 'name') enter(part, [toPlain(key)])
  return leaves
}

function toEntries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** What is different in two texts, and a little of what is around it. */
function toMiddles(was: string, is: string): [string, string] {
  const shorter = Math.min(was.length, is.length)
  let head = 0
  while (head < shorter && was[head] === is[head]) head++
  let tail = 0
  while (tail < shorter - head && was.at(-1 - tail) === is.at(-1 - tail)) tail++
  return [cutAround(was, head, tail), cutAround(is, head, tail)]
}

function cutAround(text: string, head: number, tail: number): string {
  const start = head > 2 * CONTEXT ? head - CONTEXT : 0
  const end = tail > 2 * CONTEXT ? text.length - tail + CONTEXT : text.length
  const middle = cut(text.slice(start, end))
  return `${start === 0 ? '' : '…'}${middle}${end === text.length ? '' : '…'}`
}

/** Letters and marks to Unicode, and nobody sees them. */
const BLANK = /\p{Default_Ignorable_Code_Point}/gu

function toPlain(text: string): string {
  return toShown(text).replace(BLANK, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

function cut(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length - MAX_SHOWN} more characters)`
}

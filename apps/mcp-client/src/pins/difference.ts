import { toCanonicalJson } from '@iii/protocol/canonical-json'
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

/** On both sides of what is different in a long text. */
const CONTEXT = 40

/** All of it, since whoever approves has seen it: a definition has an end. @param pin undefined for a tool that nobody has approved */
export function describePinDifference(
  pin: Pin | undefined,
  { name, definition }: ReceivedTool,
  kind: PendingTool['kind'],
): PinDifference {
  const now = toPinned(definition)
  const lines =
    pin !== undefined && pin.definition === undefined ? compareParts(pin, now) : compare(pin?.definition, now)
  return { tool: toPlain(name), kind, lines }
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
    const [from, to] = was !== undefined && is !== undefined ? toMiddles(was, is) : [was, is]
    return [...(from === undefined ? [] : [`- ${path}: ${from}`]), ...(to === undefined ? [] : [`+ ${path}: ${to}`])]
  })
}

/** What a definition says, by where it says it: the values as JSON. */
function toLeaves(definition: unknown): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>()
  const enter = (value: unknown, path: string) => {
    const parts = toEntries(value)
    if (parts.length === 0) leaves.set(path, toPlain(toCanonicalJson(value)))
    for (const [key, part] of parts) enter(part, `${path}.${key}`)
  }
  // The name is what both have in common.
  for (const [key, part] of toEntries(definition)) if (key !== 'name') enter(part, key)
  return leaves
}

/** No two places have one path: a key that may be taken for several, or for a place in a list, is written as JSON. */
function toEntries(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return []
  const entries = Object.entries(value)
  return Array.isArray(value)
    ? entries
    : entries.map(([key, part]) => [PLAIN_KEY.test(key) ? key : toPlain(JSON.stringify(key)), part])
}

const PLAIN_KEY = /^[a-z_$][\w$-]*$/i

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
  return `${start === 0 ? '' : '…'}${text.slice(start, end)}${end === text.length ? '' : '…'}`
}

/** Letters and marks to Unicode, and nobody sees them. */
const BLANK = /\p{Default_Ignorable_Code_Point}/gu

function toPlain(text: string): string {
  return toShown(text).replace(BLANK, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

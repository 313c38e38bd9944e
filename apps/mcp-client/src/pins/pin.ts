import { createHash } from 'node:crypto'
import type { JsonObject } from '@iii/protocol'
import { toCanonicalJson } from '@iii/protocol/canonical-json'
import { toPinned } from '../catalog/read-tools.ts'
import type { ReceivedTool } from '../catalog/received-tool.ts'

/** A tool as it was approved. */
export interface Pin {
  readonly name: string
  /** Of the tool as received. */
  readonly hash: string
  /** Of what ran when it was approved. */
  readonly command: string
  /** ISO date. */
  readonly approved: string
  /** What was approved, so that a later difference can be shown; left out where it is too large. */
  readonly definition?: JsonObject | undefined
  /** Then: SHA-256 of each part. */
  readonly parts?: Readonly<Record<string, string>> | undefined
}

/** The pins of a server by the names of its tools. */
export type ServerPins = ReadonlyMap<string, Pin>

/** What a tool is approved as: `command` is the hash of what runs. */
export interface Approval {
  readonly command: string
  readonly now: Date
}

/** In characters. */
const MAX_KEPT_LENGTH = 16_384

export function toPin({ name, hash, definition }: ReceivedTool, { command, now }: Approval): Pin {
  const pinned = toPinned(definition)
  const pin = { name, hash, command, approved: now.toISOString() }
  return toCanonicalJson(pinned).length <= MAX_KEPT_LENGTH
    ? { ...pin, definition: pinned }
    : { ...pin, parts: toParts(pinned) }
}

/** All are written for each that changes, and their hashes take long. */
const small = new WeakMap<Pin, Pin>()

/** The same pin with less in it. */
export function toSmallPin(pin: Pin): Pin {
  const { definition, ...others } = pin
  if (definition === undefined) return pin
  const made = small.get(pin) ?? { ...others, parts: toParts(definition) }
  small.set(pin, made)
  return made
}

/** By the names of the parts. */
export function toParts(definition: JsonObject): Readonly<Record<string, string>> {
  const parts = Object.entries(toPinned(definition)).filter(([key]) => key !== 'name')
  return Object.fromEntries(parts.map(([key, part]) => [key, toHash(toCanonicalJson(part))]))
}

function toHash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** What of a list may be shown, and what waits. */
export interface Judgement {
  readonly approved: readonly ReceivedTool[]
  readonly pending: readonly PendingTool[]
}

/** A tool that waits for approval, and why. */
export interface PendingTool {
  /** `command`: the tool is the same, but another command offers it. */
  readonly kind: 'new' | 'changed' | 'command'
  readonly tool: ReceivedTool
}

/** @param command hash of what runs */
export function judgeByPins(tools: readonly ReceivedTool[], pins: ServerPins | undefined, command: string): Judgement {
  const judged = tools.map((tool) => ({ tool, kind: findKind(tool, pins, command) }))
  return {
    approved: judged.flatMap(({ tool, kind }) => (kind === undefined ? [tool] : [])),
    pending: judged.flatMap(({ tool, kind }) => (kind === undefined ? [] : [{ tool, kind }])),
  }
}

/** Why a tool waits; undefined for one that is approved as it is. */
export function findKind(
  { name, hash }: ReceivedTool,
  pins: ServerPins | undefined,
  command: string,
): PendingTool['kind'] | undefined {
  const pin = pins?.get(name)
  if (pin === undefined) return 'new'
  if (pin.command !== command) return 'command'
  return pin.hash === hash ? undefined : 'changed'
}

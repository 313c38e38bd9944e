import { Fault, isRecord, McpMetadata, RunsMetadata } from '@iii/protocol'
import type { z } from 'zod'
import { formatIssues } from '../schema/issue-text.ts'
import { findNearest } from '../suggestions/nearest.ts'

/** What a function says about itself to bridges and to the worker `runs`: fields of its metadata, flat (`'mcp.title'`) or in a room. */

const ROOMS = { mcp: McpMetadata, runs: RunsMetadata } as const
const HINTS = McpMetadata.shape.annotations.unwrap()

type Fields = Readonly<Record<string, unknown>>

/**
 * The metadata that a function is registered with: `mcp` goes into it flat, and wins.
 *
 * @throws Fault `invalid_input` for a field that is malformed, which bridges would leave out, and for a name beside a known one.
 */
export function toMetadata(metadata: Fields = {}, mcp: McpMetadata = {}): Record<string, unknown> {
  const said = Object.entries(mcp).filter(([, value]) => value !== undefined)
  for (const [field] of said) {
    if (!(field in McpMetadata.shape)) throw unknownName(`mcp.${field}`, suggest('mcp', field))
  }
  const all = { ...metadata, ...Object.fromEntries(said.map(([field, value]) => [`mcp.${field}`, value])) }
  for (const [key, value] of Object.entries(all)) check(key, value)
  return all
}

function check(key: string, value: unknown): void {
  const [room = '', field] = key.split(/\.(.*)/s)
  if (!isRoom(room)) return
  if (field !== undefined) checkField(room, field, value)
  else if (isRecord(value)) for (const [name, one] of Object.entries(value)) checkField(room, name, one)
}

/** `null` is how some write that a field is absent. */
function checkField(room: keyof typeof ROOMS, field: string, value: unknown): void {
  const shape: Readonly<Record<string, z.ZodType>> = ROOMS[room].shape
  const name = `${room}.${field}`
  const type = Object.hasOwn(shape, field) ? shape[field] : undefined
  if (type === undefined) {
    // What resembles nothing may be meant for a bridge that is newer than this.
    const nearest = suggest(room, field)
    if (nearest !== undefined) throw unknownName(name, nearest)
  } else if (value !== undefined && value !== null) {
    if (name === 'mcp.annotations' && isRecord(value)) checkHints(value)
    const { error } = type.safeParse(value)
    if (error !== undefined) throw new Fault('invalid_input', formatIssues(error.issues, name))
  }
}

function checkHints(hints: Fields): void {
  for (const hint of Object.keys(hints)) {
    if (hint in HINTS.shape) continue
    const nearest = findNearest(hint, Object.keys(HINTS.shape))
    if (nearest !== undefined) throw unknownName(`mcp.annotations.${hint}`, `mcp.annotations.${nearest}`)
  }
}

function suggest(room: keyof typeof ROOMS, field: string): string | undefined {
  const hints = room === 'mcp' ? Object.keys(HINTS.shape).map((hint) => `annotations.${hint}`) : []
  const nearest = findNearest(field, [...Object.keys(ROOMS[room].shape), ...hints])
  return nearest && `${room}.${nearest}`
}

function unknownName(name: string, nearest: string | undefined): Fault {
  const hint = nearest === undefined ? '' : `; did you mean '${nearest}'?`
  return new Fault('invalid_input', `'${name}' is nothing that a function can say about itself${hint}`)
}

function isRoom(name: string): name is keyof typeof ROOMS {
  return Object.hasOwn(ROOMS, name)
}

import { findNodeAtLocation, getNodeValue, type Node } from 'jsonc-parser'
import type { Block } from './block.ts'
import type { Client } from './clients.ts'
import { type Place, readDocument } from './document.ts'
import { insertProperty, replaceValue } from './insert-property.ts'
import { startsThisServer } from './own-entry.ts'
import { removeProperty } from './remove-property.ts'

/** A configuration file after a change; `text` is the same as before when there was nothing to change. */
export type Edit = { readonly text: string; readonly problem?: undefined } | { readonly problem: string }

/** Where in a client's configuration, and how far a command may go there. */
export interface Target {
  readonly client: Client
  /** The name of the server. */
  readonly name: string
  /** The file that runs now: an entry that starts it is ours. */
  readonly script: string
  /** Whatever else stands under the name may go. */
  readonly force: boolean
}

/**
 * Puts a server into the text of a client's configuration. Everything else in it stays, comments too.
 *
 * @returns a problem, with its line, when the client could not read the text or something else stands under that name
 */
export function addServer(text: string, target: Target, block: Block): Edit {
  const place = readDocument(text, target.client, target.name)
  if (place.problem !== undefined) return place
  const path = toPath(target)
  const foreign = findForeign(place, target)
  if (foreign !== undefined && !target.force) {
    return { problem: `${foreign}; choose another --name, or put this one in its place with --force` }
  }
  // Of what another program was told, environment and all, nothing is for ours.
  const change = findNodeAtLocation(place.root, [...path]) === undefined || foreign !== undefined ? set : merge
  return finish(place, change(place, path, block), path)
}

/** Takes a server out again. @returns a problem, as above */
export function removeServer(text: string, target: Target): Edit {
  const place = readDocument(text, target.client, target.name)
  if (place.problem !== undefined) return place
  const foreign = findForeign(place, target)
  if (foreign !== undefined && !target.force) return { problem: `${foreign}; --force takes it out all the same` }
  const path = toPath(target)
  return finish(place, place.bom + removeProperty(place.body, place.root, path), path)
}

function toPath({ client, name }: Target): readonly string[] {
  return [client.key, name]
}

/** What somebody else has put under the name. An entry that is empty but for its kind is nobody's. */
function findForeign(place: Place, target: Target): string | undefined {
  const node = findNodeAtLocation(place.root, [...toPath(target)])
  if (node === undefined) return undefined
  const entry: unknown = getNodeValue(node)
  const subject = `${place.where(node)}'${target.name}' below '${target.client.key}'`
  if (!isRecord(entry)) return `${subject} is no object`
  const remote = REMOTE.find((key) => entry[key] !== undefined)
  if (remote !== undefined) return `${subject} is another server, reached by its ${remote}`
  const { command } = entry
  if (startsThisServer(entry, target.script)) return undefined
  if (command !== undefined) {
    return `${subject} is another server, started with ${typeof command === 'string' ? command : 'a command of its own'}`
  }
  const isEmpty = Object.keys(entry).every((key) => key in target.client.extras)
  return isEmpty ? undefined : `${subject} is another server, started by neither command nor address`
}

/** How the entries of servers look that are not started but reached. */
const REMOTE = ['url', 'serverUrl', 'httpUrl']

/** What else somebody wrote into the block, or into its environment, stays. */
function merge(place: Place, path: readonly string[], block: Readonly<Record<string, unknown>>): string {
  let current = place
  for (const [key, value] of Object.entries(block)) {
    const node = findNodeAtLocation(current.root, [...path, key])
    if (node?.type === 'object' && isRecord(value)) current = current.with(merge(current, [...path, key], value))
    else if (!isSame(node, value)) current = current.with(set(current, [...path, key], value))
  }
  return current.text
}

/** The way down to a value, of which the beginning is there. */
function set(place: Place, path: readonly string[], value: unknown): string {
  const { body, bom, root } = place
  const node = findNodeAtLocation(root, [...path])
  if (node !== undefined) return bom + replaceValue(body, node, value)
  const [last = '', ...rest] = [...path].reverse()
  const object = findNodeAtLocation(root, rest.reverse())
  return object === undefined
    ? set(place, path.slice(0, -1), { [last]: value })
    : bom + insertProperty(body, object, last, value)
}

/** Nothing leaves here that the client could not read, or that says anything else than before about the rest. */
function finish(before: Place, text: string, path: readonly string[]): Edit {
  try {
    const isKept = text === before.text || toRest(before.root, path) === toRest(before.with(text).root, path)
    if (isKept) return { text }
  } catch {
    // The text cannot be read any more.
  }
  return { problem: 'it cannot be changed without harm to the rest of it; put what --print prints in by hand' }
}

/** Everything but the server, as text. */
function toRest(root: Node, [key = '', name = '']: readonly string[]): string {
  const value = getNodeValue(root) as Record<string, unknown>
  const { [name]: _, ...servers } = (value[key] ?? {}) as Record<string, unknown>
  return JSON.stringify([Object.entries(value).filter(([own]) => own !== key), Object.entries(servers)])
}

function isSame(node: Node | undefined, value: unknown): boolean {
  return node !== undefined && JSON.stringify(getNodeValue(node)) === JSON.stringify(value)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

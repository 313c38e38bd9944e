import { findNodeAtLocation, getNodeValue, type Node } from 'jsonc-parser'
import type { Block } from './block.ts'
import type { Client } from './clients.ts'
import { type Place, readDocument } from './document.ts'
import { insertProperty, replaceValue } from './insert-property.ts'
import { removeProperty } from './remove-property.ts'

/** A configuration file after a change; `text` is the same as before when there was nothing to change. */
export type Edit = { readonly text: string; readonly problem?: undefined } | { readonly problem: string }

/**
 * Puts a server into the text of a client's configuration. Everything else in it stays, comments too.
 *
 * @returns a problem, with its line, when the client could not read the text or something else stands under that name
 */
export function addServer(text: string, client: Client, name: string, block: Block): Edit {
  const place = readDocument(text, client, name)
  if (place.problem !== undefined) return place
  const path = [client.key, name]
  const old = findNodeAtLocation(place.root, path)
  if (old === undefined) return finish(place, set(place, path, block), path)
  if (old.type !== 'object') return { problem: `${place.where(old)}'${name}' below '${client.key}' is no object` }
  const remote = REMOTE.find((key) => findNodeAtLocation(old, [key]) !== undefined)
  if (remote !== undefined) {
    const problem = `'${name}' is there, as a server that is reached by its ${remote}; choose another --name, or take it out with --uninstall`
    return { problem: `${place.where(old)}${problem}` }
  }
  return finish(place, merge(place, path, block), path)
}

/** Takes a server out again. */
export function removeServer(text: string, client: Client, name: string): Edit {
  const place = readDocument(text, client, name)
  if (place.problem !== undefined) return place
  const path = [client.key, name]
  return finish(place, place.bom + removeProperty(place.body, place.root, path), path)
}

/** How the blocks of servers look that are not started but reached. */
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

import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { Client } from './clients.ts'
import type { Reading } from './entry-place.ts'
import { insertProperty, replaceValue } from './insert-property.ts'
import { removeProperty } from './remove-property.ts'

const BOM = '\uFEFF'

/** Reads JSON, with comments and commas before a bracket where the client reads them. */
export function readJsonPlace(text: string, client: Client, name: string): Reading {
  const bom = text.startsWith(BOM) ? BOM : ''
  const unmarked = text.slice(bom.length)
  const body = unmarked.trim() === '' ? '{}\n' : unmarked
  const errors: ParseError[] = []
  const options = { disallowComments: !client.hasComments, allowTrailingComma: client.hasComments }
  const root = parseTree(body, errors, options)
  const [error] = errors
  const where = (offset: number) => `line ${body.slice(0, offset).split('\n').length}: `
  if (error !== undefined) return { problem: `${where(error.offset)}${explain(error)}` }
  if (root?.type !== 'object') return { problem: 'line 1: the file is no object: it should begin with {' }
  const servers = findNodeAtLocation(root, [client.key])
  if (servers !== undefined && servers.type !== 'object') {
    return { problem: `${where(servers.offset)}'${client.key}' is no object` }
  }
  const twice = findTwice(root, client.key) ?? (servers && findTwice(servers, name))
  if (twice !== undefined) {
    return { problem: `${where(twice.offset)}'${twice.value}' stands there twice, and only one of the two counts` }
  }
  const path = [client.key, name]
  const entry = findNodeAtLocation(root, path)
  return {
    text,
    entry: entry && getNodeValue(entry),
    where: entry === undefined ? '' : where(entry.offset),
    rest: toRest(root, client.key, name),
    put: (block) => bom + set(body, root, path, block),
    remove: () => (entry === undefined ? text : bom + removeProperty(body, root, path)),
  }
}

/** @param path of which the beginning is there */
function set(body: string, root: Node, path: readonly string[], value: unknown): string {
  const node = findNodeAtLocation(root, [...path])
  if (node !== undefined) return replaceValue(body, node, value)
  const above = path.slice(0, -1)
  const last = path.at(-1) ?? ''
  const object = findNodeAtLocation(root, above)
  return object === undefined ? set(body, root, above, { [last]: value }) : insertProperty(body, object, last, value)
}

/** Everything but the server, in the order of the file. */
function toRest(root: Node, key: string, name: string): unknown {
  const value = getNodeValue(root) as Record<string, unknown>
  const { [name]: _, ...servers } = (value[key] ?? {}) as Record<string, unknown>
  return [Object.entries(value).filter(([own]) => own !== key), Object.entries(servers)]
}

/** The second of two keys that are the same. */
function findTwice(object: Node, key: string): Node | undefined {
  const keys = (object.children ?? []).flatMap(({ children }) => children?.[0] ?? [])
  return keys.filter(({ value }) => value === key)[1]
}

const WORDS: Readonly<Record<string, string>> = {
  InvalidCommentToken: 'a comment, which this client does not read',
  PropertyNameExpected: 'a name in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing } is missing',
  CloseBracketExpected: 'a closing ] is missing',
  EndOfFileExpected: 'there is more behind the end',
  UnexpectedEndOfString: 'a text without its closing quote',
  UnexpectedEndOfComment: 'a comment without its end',
  InvalidCharacter: 'a character that must be escaped',
  InvalidEscapeCharacter: 'a \\ before something that needs none',
  InvalidUnicode: 'a \\u without four digits',
}

function explain({ error }: ParseError): string {
  const code = printParseErrorCode(error)
  return WORDS[code] ?? `no JSON (${code})`
}

import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { Client } from './clients.ts'

/** A client's configuration, read. */
export interface Place {
  readonly problem?: undefined
  /** The whole file. */
  readonly text: string
  /** The mark before the text that some editors write. */
  readonly bom: string
  /** The text without the mark. */
  readonly body: string
  readonly root: Node
  /** `line 3: ` */
  where(node: Node): string
  /** The same file with another text. */
  with(text: string): Place
}

const BOM = '\uFEFF'

/** Reads the text as the client does. @returns a problem with its line for what it could not read, or would read differently */
export function readDocument(text: string, client: Client, name: string): Place | { problem: string } {
  const bom = text.startsWith(BOM) ? BOM : ''
  const rest = text.slice(bom.length)
  const body = rest.trim() === '' ? '{}\n' : rest
  const errors: ParseError[] = []
  const options = { disallowComments: !client.hasComments, allowTrailingComma: client.hasComments }
  const root = parseTree(body, errors, options)
  const [error] = errors
  if (error !== undefined) return { problem: `line ${toLine(body, error.offset)}: ${explain(error)}` }
  if (root?.type !== 'object') return { problem: 'line 1: the file is no object: it should begin with {' }
  const where = (node: Node) => `line ${toLine(body, node.offset)}: `
  const servers = findNodeAtLocation(root, [client.key])
  if (servers !== undefined && servers.type !== 'object') {
    return { problem: `${where(servers)}'${client.key}' is no object` }
  }
  const twice = findTwice(root, client.key) ?? (servers && findTwice(servers, name))
  if (twice !== undefined) {
    return { problem: `${where(twice)}'${twice.value}' stands there twice, and only one of the two counts` }
  }
  const again = (next: string): Place => {
    const read = readDocument(next, client, name)
    if (read.problem !== undefined) throw new Error(`an edit broke the file: ${read.problem}`)
    return read
  }
  return { text, bom, body, root, where, with: again }
}

/** The second of two keys that are the same. */
function findTwice(object: Node, key: string): Node | undefined {
  const keys = (object.children ?? []).flatMap(({ children }) => children?.[0] ?? [])
  return keys.filter(({ value }) => value === key)[1]
}

function toLine(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
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

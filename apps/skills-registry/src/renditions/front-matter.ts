import { isRecord, type JsonObject, utf8Length } from '@iii/protocol'
import { LineCounter, parseDocument, type YAMLError } from 'yaml'
import { isNestedTooDeep } from '../markdown/yaml-nesting.ts'
import { explainNodes } from './yaml-nodes.ts'

/** Front matter as hosts of the skills extension read it: YAML 1.2 with the types of its core schema. */
export interface AgentFrontMatter {
  fields: JsonObject
  /** What stands below it. */
  rest: string
}

/** Above this, front matter is not read. */
const MAX_CHARS = 16_384
/** What the fields may take as JSON: they are in the index and in every list. */
const MAX_JSON_BYTES = 8192
/** Levels of lists and mappings. */
const MAX_DEPTH = 16
const TOO_DEEP = `its front matter has more than ${MAX_DEPTH} levels`

/** The form that hosts look for: lines of exactly three dashes around it, and something between them. */
const BLOCK = /^\uFEFF?---\r?\n(?!---[ \t]*(?:\r?\n|$))([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/
/** What ends a line for some readers alone, or is refused by some. */
export const ODD_CHARACTERS = /\r(?!\n)|(?![\t\r\n])\p{Cc}|[\u2028\u2029\ufffe\uffff]/u

/**
 * Reads the front matter of a skill with its types. Refused is what two readers could read differently, or what JSON cannot carry: keys that
 * are there twice or are no texts, aliases, tags, numbers beyond what is exact, line ends that only some know, more than 16 KiB, anything but a
 * mapping.
 *
 * @returns undefined for a text that has none in that form, `problem` for one that cannot be used.
 *
 * @example
 * readAgentFrontMatter('---\nname: orders\nversion: 2\n---\nText') // { fields: { name: 'orders', version: 2 }, rest: 'Text' }
 */
export function readAgentFrontMatter(markdown: string): AgentFrontMatter | { problem: string } | undefined {
  const block = BLOCK.exec(markdown)
  if (!block) return undefined
  const fields = readFields(block[1] ?? '')
  return typeof fields === 'string' ? { problem: fields } : { fields, rest: markdown.slice(block[0].length) }
}

/** The YAML of a text that begins with front matter in that form. */
export function toFrontMatterBlock(markdown: string): string | undefined {
  return BLOCK.exec(markdown)?.[1]
}

/** The fields, or why they cannot be used. */
function readFields(yaml: string): JsonObject | string {
  if (yaml.length > MAX_CHARS) return `its front matter is longer than ${MAX_CHARS} characters`
  const [odd] = ODD_CHARACTERS.exec(yaml) ?? []
  if (odd !== undefined) return `its front matter has ${toCodePoint(odd)}, which not every reader takes: leave it out`
  if (isNestedTooDeep(yaml)) return TOO_DEEP
  const lineCounter = new LineCounter()
  // Thousands of mistakes take long to be made messages that quote their lines, and one of them is told.
  const options = { lineCounter, prettyErrors: false }
  const document = parseDocument(yaml, { schema: 'core', logLevel: 'error', stringKeys: true, ...options })
  const [flaw] = [...document.errors, ...document.warnings]
  if (flaw) return `its front matter is no YAML that every reader takes: ${toAdvice(flaw, lineCounter)}`
  const problem = explainNodes(document)
  if (problem !== undefined) return `its front matter has ${problem}`
  const fields: unknown = document.toJS()
  if (!isRecord(fields)) return 'its front matter is no mapping of names to values'
  return explainValue(fields, 1) ?? explainSize(fields) ?? fields
}

/** @example toCodePoint('\u2028') // 'U+2028' */
function toCodePoint(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Lines are those of the skill. A colon and a space in a plain value begin a mapping. */
function toAdvice({ code, message, pos }: YAMLError, lines: LineCounter): string {
  const { line, col } = lines.linePos(pos[0])
  const said = `${message.split('\n', 1)[0]} at line ${line + 1}, column ${col}`
  return code === 'BLOCK_AS_IMPLICIT_KEY' ? `${said}; quote a value that has a colon in it` : said
}

function explainSize(fields: JsonObject): string | undefined {
  const bytes = utf8Length(JSON.stringify(fields))
  return bytes > MAX_JSON_BYTES ? `its front matter takes ${bytes} bytes as JSON (max ${MAX_JSON_BYTES})` : undefined
}

/** What JSON would not carry as it is. */
function explainValue(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return explainScalar(value)
  if (depth > MAX_DEPTH) return TOO_DEEP
  for (const [key, inner] of Object.entries(value)) {
    const problem = explainScalar(key) ?? explainValue(inner, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

function explainScalar(value: unknown): string | undefined {
  if (typeof value === 'number' && !isExact(value)) return `its front matter has the number ${value}: quote it`
  if (typeof value !== 'string' || value.isWellFormed()) return undefined
  return 'its front matter has half of a surrogate pair'
}

function isExact(value: number): boolean {
  if (!Number.isFinite(value) || Object.is(value, -0)) return false
  return !Number.isInteger(value) || Number.isSafeInteger(value)
}

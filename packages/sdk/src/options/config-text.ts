import { isMap, LineCounter, parseDocument, visit, type YAMLError } from 'yaml'
import { type LinePositions, lineOf, type Reader, readDocument } from './config-document.ts'
import type { Given } from './given.ts'
import type { AnyOptionTable } from './option-table.ts'
import { isTooDeep, MAX_LEVELS } from './yaml-nesting.ts'
import { splitYaml, type YamlPart } from './yaml-parts.ts'

/** What a configuration file says: a value for each option it names, or why it says nothing. */
export interface ConfigReading {
  values: ReadonlyMap<string, Given>
  /** Everything that is wrong, each with its line, rule and nearest word; the values do not count then. */
  problems: readonly string[]
}

/** Reads YAML against the option table. Never throws: whatever is wrong is a problem with its line. */
export function readConfigText(text: string, table: AnyOptionTable): ConfigReading {
  const values = new Map<string, Given>()
  const problems: string[] = []
  try {
    if (isTooDeep(text)) return { values, problems: [`nested deeper than ${MAX_LEVELS} levels`] }
    const { document, lines } = parse(text)
    const told = document.errors.map((error) => toProblem(error, lines))
    // A key that stands there twice leaves the others as they are. After any other error the rest of the whole may mean anything.
    if (document.errors.some(isOfSyntax)) {
      const parts = readParts(text, table)
      const twice = document.errors.filter((error) => !isOfSyntax(error)).map((error) => toProblem(error, lines))
      // Where a part is malformed, it is known better than from the whole in which line.
      return { values, problems: [...(parts.isMalformed ? twice : told), ...parts.problems] }
    }
    problems.push(...told)
    readDocument({ document, lines, table, values, problems })
  } catch (error) {
    const ofParts = error instanceof ReferenceError ? readParts(text, table).problems : []
    // An alias that stands before its anchor is told by the whole alone.
    if (!ofParts.some((problem) => problem.includes(UNANCHORED))) problems.push(toReason(error))
    problems.push(...ofParts)
  }
  return { values, problems }
}

interface PartsReading {
  readonly problems: readonly string[]
  /** Some of it is no YAML by itself. */
  readonly isMalformed: boolean
}

/** What is wrong in each part of a text that cannot be read as a whole. */
function readParts(text: string, table: AnyOptionTable): PartsReading {
  const read = splitYaml(text).map((part) => readPart(part, table, (name) => text.includes(`&${name}`)))
  const [malformed, others] = [read.filter((part) => part.isMalformed), read.filter((part) => !part.isMalformed)]
  return { problems: [...malformed, ...others].flatMap(({ problems }) => problems), isMalformed: malformed.length > 0 }
}

/** @param hasAnchor whether there is one of that name in some part */
function readPart(
  { text, linesBefore }: YamlPart,
  table: AnyOptionTable,
  hasAnchor: (name: string) => boolean,
): PartsReading {
  const parsed = parse(text)
  const lines: LinePositions = {
    linePos(offset) {
      const { line, col } = parsed.lines.linePos(offset)
      return { line: line + linesBefore, col }
    },
  }
  const reader = { ...parsed, lines, table, values: new Map<string, Given>(), problems: [] }
  const syntax = parsed.document.errors.filter(isOfSyntax)
  if (syntax.length > 0) return { problems: syntax.map((error) => toProblem(error, lines)), isMalformed: true }
  try {
    if (isMap(parsed.document.contents)) readDocument(reader)
    return { problems: reader.problems, isMalformed: false }
  } catch {
    return { problems: findUnanchored(reader, hasAnchor), isMalformed: false }
  }
}

const UNANCHORED = 'is an alias, and nothing has the anchor'

/** Aliases of what stands nowhere; the anchor of any other is in a part before. */
function findUnanchored(reader: Reader, hasAnchor: (name: string) => boolean): string[] {
  const problems: string[] = []
  visit(reader.document, {
    Alias(_, alias) {
      const name = alias.source
      if (!hasAnchor(name)) problems.push(`line ${lineOf(reader, alias)}: *${name} ${UNANCHORED} &${name}`)
    },
  })
  return problems
}

function parse(text: string): Pick<Reader, 'document' | 'lines'> {
  const lines = new LineCounter()
  return { document: parseDocument(text, { lineCounter: lines, prettyErrors: false }), lines }
}

function isOfSyntax({ code }: YAMLError): boolean {
  return code !== 'DUPLICATE_KEY'
}

function toProblem({ pos, message, code }: YAMLError, lines: LinePositions): string {
  // Some messages end in what stands there, which may be a secret.
  const plain = message.replace(/ in YAML stream: .*/s, '')
  const text = code === 'MULTIPLE_DOCS' ? 'a second document begins here (---), and one is all there can be' : plain
  return `line ${lines.linePos(pos[0]).line}: ${text}`
}

function toReason(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? error.name) : String(error)
}
